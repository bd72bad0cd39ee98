// The changes of the open thread, in the place of its conversation: what each changed, and the acts and
// messages behind it. They stay as they were read until the admin asks for more.

import { html, render } from "lit-html";

import { onResize } from "../../browser.js";
import { languageName } from "../../core/i18n.js";
import { secondWords } from "../../core/list/past.js";
import { shown } from "../../core/names.js";
import { ownZone } from "../../core/time.js";
import { memberText } from "../elements/avatar.js";
import { emptyState } from "../elements/empty.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { actText } from "./act-line.js";

// A message that was received so long after its time was reported late.
const LATE_MS = 60_000;
const TIMES = new Set(["waiting_since", "due_at", "snoozed_until"]);

export class Changes extends PageModule {
  #threadId = null; // of the thread whose changes are shown
  #changes = null; // null: they are being read
  #people = new Map(); // id → name
  #next = null; // the time before which more happened
  #error = null;
  #asked = 0; // counts requests: an answer counts only if it is that of the last one
  #reads = false;

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.pane = document.getElementById("thread-pane");
    this.root = document.createElement("div");
    Object.assign(this.root, { id: "changes", className: "changes", hidden: true });
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.stopPropagation();
      this.close();
    });
    const head = document.getElementById("thread-head");
    head.after(this.root);
    onResize(head, () => { this.root.style.top = `${head.offsetHeight}px`; });
    this.ui.painter.add("changes", () => this.paint());
  }

  get shown() { return this.#threadId !== null; }

  open() {
    const { id } = this.data.thread;
    if (id === null) return;
    this.ui.layout.panel = "thread";
    this.ui.painter.ask("shell");
    this.#read(id);
    /** @type {HTMLElement} */ (this.root.querySelector(".changes-close")).focus();
  }

  close() {
    if (!this.shown) return;
    const hadFocus = this.root.contains(document.activeElement);
    this.#threadId = null;
    this.paint();
    if (hadFocus) document.getElementById("messages").focus();
    this.ui.painter.ask("messages", "composer");
  }

  // Another thread has its conversation.
  paint() {
    if (this.#threadId !== this.data.thread.id) this.#threadId = null;
    this.root.hidden = !this.shown;
    this.pane.toggleAttribute("data-changes", this.shown);
    render(this.shown ? this.#content() : "", this.root);
  }

  #read(id) {
    this.#threadId = id;
    this.#changes = null;
    this.#people.clear();
    this.#next = null;
    return this.#more(id);
  }

  async #more(id) {
    const asked = ++this.#asked;
    this.#reads = true;
    this.#error = null;
    this.paint();
    const part = this.#next === null ? "" : `?before=${this.#next}`;
    const { answer, error } = await this.net.api.http.get(`/admin/api/threads/${id}/history${part}`)
      .then((found) => ({ answer: found, error: null }), (problem) => ({ answer: null, error: problem }));
    if (asked !== this.#asked) return;
    this.#reads = false;
    this.#error = error;
    if (answer) this.#take(answer);
    this.ui.painter.ask("changes");
  }

  #take({ changes, people, next }) {
    this.#changes = [...this.#changes ?? [], ...changes];
    this.#next = next;
    for (const { id, name } of people) this.#people.set(id, name);
  }

  #content() {
    const { t } = this.ui.language;
    const isOld = this.#changes && this.data.thread.row?.rev > (this.#changes[0]?.rev ?? 0);
    return html`<div class="changes-head"><h2 class="changes-title" id="changes-title">${t("changes")}</h2>
        ${isOld ? html`<button type="button" class="button" @click=${() => this.#read(this.#threadId)}
          >${t("changes.newer")}</button>` : ""}
        <button type="button" class="icon-button changes-close" aria-label=${t("close")} @click=${() => this.close()}
          >${ICONS.close}</button></div>
      <div class="changes-frame" tabindex="0" role="region" aria-labelledby="changes-title">${this.#list()}</div>`;
  }

  #list() {
    const { t } = this.ui.language;
    const again = { text: t("retry"), run: () => this.#more(this.#threadId) };
    if (this.#error) return emptyState({ icon: ICONS.unsent, title: refusalOf(this.#error, t), acts: [again] });
    if (!this.#changes) return emptyState({ title: t("loading") });
    const isAll = this.#next === null;
    return html`<ol class="changes-list">${this.#changes.map((change, at) => (
      this.#change(change, isAll && at === this.#changes.length - 1)))}</ol>
      ${isAll ? "" : html`<p class="changes-more"><button type="button" class="button" ?disabled=${this.#reads}
        @click=${() => this.#more(this.#threadId)}>${t("changes.more")}</button></p>`}`;
  }

  #change(change, isFirst) {
    const { ui: { language: { t, region, words } }, net } = this;
    const time = secondWords(region, ownZone())(change.at, net.now());
    const behind = [...change.acts.map((act) => this.#act(act)), ...change.messages.map((message) => this.#message(message))];
    const values = Object.entries(change.changed);
    return html`<li class="change" data-rev=${change.rev}>
      <div class="change-head"><time class="change-time" title=${words.exact(change.at)}>${time}</time>
        <button type="button" class="button change-then" aria-label=${`${t("changes.then")}: ${time}`}
          title=${t("changes.then.title")} @click=${() => this.acts.navigation.goPast(change.at)}
          >${ICONS.hours}${t("changes.then")}</button></div>
      ${behind.length ? html`<ul class="change-behind">${behind}</ul>` : ""}
      ${values.length ? html`<dl class="change-values">${values.map(([name, pair]) => this.#value(name, pair))}</dl>`
        : behind.length ? "" : html`<p class="change-none">${t(isFirst ? "changes.first" : "changes.other")}</p>`}</li>`;
  }

  #act(act) {
    const { t, words } = this.ui.language;
    return html`<li class="change-act">${actText(act, {
      t, words, adminId: this.data.adminId, now: this.net.now() })}</li>`;
  }

  // A message leads to its place in the conversation.
  #message({ id, role, private: isNote, at, received_at: receivedAt }) {
    const { t, words } = this.ui.language;
    const now = this.net.now();
    const text = t(isNote ? "changes.note" : `changes.message.${role}`);
    return html`<li class="change-message"><button type="button" class="change-open" @click=${() => this.#openMessage(id)}
      >${text}</button>${receivedAt - at > LATE_MS ? html` <span class="change-late">${t("changes.late", {
        time: words.moment(at, now) })}</span>` : ""}</li>`;
  }

  #openMessage(messageId) {
    const id = this.#threadId;
    this.close();
    this.acts.open(id, messageId);
  }

  #value(name, [was, is]) {
    const { t } = this.ui.language;
    const [from, to] = [was, is].map((value) => shown(this.#text(name, value)));
    return html`<div><dt>${t(`changed.${name}`)}</dt><dd><bdi class="change-from">${from}</bdi>
      <span aria-hidden="true">→</span><span class="unseen">${t("changed.to")}</span> <bdi>${to}</bdi></dd></div>`;
  }

  #text(name, value) {
    const { t, words, locale } = this.ui.language;
    const now = this.net.now();
    const none = t("changed.none");
    if (name === "closed") return t(value ? "thread.closed" : "thread.open");
    if (name === "archived") return t(value ? "changed.yes" : "changed.no");
    if (name === "member_status") return memberText(/** @type {Row} */ ({ customer: { member_status: value } }), t);
    if (name === "priority") return t(`priority.${value}`);
    if (name === "tags") return value.join(", ") || none;
    if (value === null) return name === "assignee_id" ? t("filter.unassigned") : none;
    if (TIMES.has(name)) return words.moment(value, now);
    if (name === "assignee_id") return this.#people.get(value) ?? String(value);
    return name === "locale" ? languageName(value, locale) : String(value);
  }
}
