// The list of what this admin wrote and has not sent: replies that were refused, held or wait for the
// connection, and drafts.

import { html } from "lit-html";

import { age } from "../../core/time.js";
import { nameOf } from "../elements/avatar.js";
import { refusal } from "../elements/refusal.js";

const ROWS = 100; // whose names are asked for at once

export class UnsentDialog {
  /** @param {UnsentDialogParts} parts */
  constructor({ dialog, unsent, rows, api, now, painter, language, open, takeBack }) {
    this.dialog = dialog;
    this.unsent = unsent;
    this.rows = rows;
    this.api = api;
    this.now = now;
    this.painter = painter;
    this.language = language;
    this.openThread = open;
    this.takeBack = takeBack;
  }

  async open() {
    const unsent = await this.unsent.get();
    if (!unsent) return;
    this.dialog.open(() => this.language.t("unsent.title"), () => this.#content(unsent));
    const ids = [...unsent.outbox.list, ...unsent.drafts.list].map(({ threadId }) => threadId);
    const missing = [...new Set(ids)].filter((id) => !this.rows.get(id)).slice(0, ROWS);
    if (!missing.length) return;
    const answer = await this.api.rows(missing).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.rows.put(row);
    this.dialog.paint();
  }

  #content({ outbox, drafts }) {
    const { t } = this.language;
    const replies = outbox.list;
    const kept = drafts.list;
    if (!replies.length && !kept.length) return html`<p class="panel-note">${t("unsent.none")}</p>`;
    return html`
      ${replies.length ? html`<h3 class="unsent-heading">${t("nav.unsent")}</h3>
        <ul class="unsent-list">${replies.map((item) => this.#reply(item, outbox))}</ul>` : ""}
      ${kept.length ? html`<h3 class="unsent-heading">${t("nav.draft")}</h3>
        <ul class="unsent-list">${kept.map((draft) => this.#draft(draft, drafts))}</ul>` : ""}`;
  }

  #reply(item, outbox) {
    const { t } = this.language;
    const state = outbox.stateOf(item);
    const act = (text, run) => html`<button type="button" class="button" @click=${run}
      >${t(text)}</button>`;
    const waits = state === "sending" || state === "queued";
    return this.#item(item, waits ? t(`sending.${state}`) : this.#reason(item), html`
      ${waits ? "" : act(state === "moved" ? "sending.anyway" : "retry",
        () => (state === "moved" ? outbox.confirm(item.token) : outbox.retry(item.token)))}
      ${state === "sending" ? "" : act("sending.take_back", () => {
        this.#go(item.threadId);
        this.takeBack(item);
      })}`);
  }

  #reason({ state, problem, unseen }) {
    const { t } = this.language;
    if (state === "moved") return t("sending.moved.text", { count: unseen.length || 1 });
    if (state === "signed-out") return t("sending.signed-out.text");
    return problem === "network" ? t("sending.waiting.text") : refusal(problem, t);
  }

  #draft(draft, drafts) {
    const { t, words } = this.language;
    const kind = t(draft.private ? "composer.note" : "composer.reply");
    const about = `${kind} · ${words.long(age(draft.at, this.now()))}`;
    return this.#item(draft, about, "", () => drafts.take(draft.threadId, draft.key));
  }

  // opened(): what follows when the thread is opened.
  #item({ threadId, body, state }, about, acts, opened = () => {}) {
    const { t } = this.language;
    const row = this.rows.get(threadId);
    return html`<li class="unsent-item" data-state=${state ?? "draft"} data-thread=${threadId}>
      <button type="button" class="unsent-open" @click=${() => {
        this.#go(threadId);
        opened();
      }}>
        <bdi translate="no" class="unsent-name">${row ? nameOf(row, t) : `#${threadId}`}</bdi>
        <span class="unsent-about">${about}</span>
        <span class="unsent-body" dir="auto">${body}</span></button>
      <span class="unsent-acts">${acts}</span></li>`;
  }

  #go(threadId) {
    this.dialog.close();
    this.openThread(threadId);
  }
}
