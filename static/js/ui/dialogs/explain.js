// Explains the place of a thread: its rule, the deciding fact, and the rank; on a list as it was, as it was then.

import { html, render } from "lit-html";

import { listCall, timestamp } from "../../core/route.js";
import { dueText } from "../../core/row-texts.js";
import { age, dueLevel } from "../../core/time.js";
import { placeBelow } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";

export class Explain extends PageModule {
  #state = null; // {loading}, {answer, list} or {error}
  #id = null; // of the thread
  #opener = null; // the element below which the place is explained; null: in the head of the thread

  /** @param {Page & { element: HTMLElement }} page */
  constructor({ element, ...page }) {
    super(page);
    this.element = element;
  }

  // id: the open thread, or that of the row whose element is `opener`.
  async open(id = this.data.thread.id, opener = null) {
    const { list } = this.data.lists;
    const { at } = this.acts.navigation;
    if (id === null) return;
    this.#id = id;
    this.#opener = opener;
    this.#set({ loading: true });
    // After this event: at the end of a press, the browser closes a popover that is not below the pointer.
    await new Promise((resolve) => { setTimeout(resolve); });
    this.element.showPopover();
    this.#position();
    try {
      const asked = new URLSearchParams({ ...listCall(list), ...(at && { at: timestamp(at) }) });
      const answer = await this.net.api.http.get(`/admin/api/threads/${id}/explain?${asked}`);
      if (answer.queue) await this.ui.queues.preload();
      if (id === this.#id) this.#set({ answer, list, at });
    } catch (error) {
      this.#set({ error, at });
    }
    this.#position();
  }

  #set(state) {
    this.#state = state;
    render(this.#content(), this.element);
  }

  #position() {
    const opener = this.#opener ?? document.querySelector(".act-more") ?? document.getElementById("thread-head");
    placeBelow(this.element, opener.getBoundingClientRect());
  }

  #content() {
    const { t } = this.ui.language;
    const { loading, error, answer, at } = this.#state;
    if (loading) return html`<p class="explain-loading">${t("loading")}</p>`;
    if (error) {
      return html`<p>${error.status === 404 ? t(at ? "past.not_here" : "explain.not_here") : t("error.other")}</p>`;
    }
    return this.#explanation(answer);
  }

  // A thread that is not on the live list may be among the archived threads after it.
  #where() {
    const { data: { lists: { listing: { archive } } }, ui: { language: { t } } } = this;
    if (this.#state.at) return t("past.not_here");
    if (!archive.has(this.#id)) return t("explain.not_here");
    return t("archive.line", { count: archive.days });
  }

  #explanation({ rule, fact, value, rank, total, due, queue }) {
    const { t, words } = this.ui.language;
    const { at, list: { view, sort } } = this.#state;
    const now = at ?? this.net.now();
    // rank counts from 0; null: the thread is not in this view
    const title = rank === null ? this.#where() : t("explain.rank", { rank: rank + 1, total });
    const key = `why.${rule}`;
    const said = t(key, { time: words.exact(value), age: words.long(age(value, now)) });
    // The server may have rules without a text here.
    const why = said === key ? `${t.named("rule", rule)} · ${words.exact(value)}` : said;
    return html`<h2 class="explain-title" id="explain-title">${title}</h2>
      <p class="explain-list">${t(`view.${view}`)} · ${t(`sort.${sort}`)}</p>
      ${at ? html`<p class="explain-list">${t("past.title", { time: words.exact(at) })}</p>` : ""}
      <p class="explain-facts">${why}</p>
      <p class="explain-rule">${t("explain.rule")}: ${t.named("rule", rule)}
        · ${t.named("fact", fact)}</p>
      ${due ? this.#due(due, now) : ""}
      ${queue ? this.ui.queues.part?.explained(queue) : ""}`;
  }

  // Shows when an answer is due, and by which policy.
  #due({ due_at: dueAt, policy, calendar, timezone, target, minutes, since }, now) {
    const { t, words } = this.ui.language;
    const names = { policy, calendar, timezone };
    return html`<p class="explain-due">${t(`explain.due.${target}`, {
      due: words.moment(dueAt, now), since: words.moment(since, now), time: words.minutes(minutes),
    })} <span class="thread-due" data-level=${dueLevel(dueAt, now)}>${dueText(dueAt, { t, words, now })}</span></p>
      <p class="explain-rule">${t("explain.due.by", names)}</p>`;
  }
}
