// The bar over the conversation for the matches of a search: "2 of 7", and buttons to the others.

import { html, render } from "lit-html";

import { Matches } from "../../core/thread/matches.js";
import { authorName } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";

const TOLD_BEFORE = 40; // characters before the match that a screen reader is told
const TOLD_AFTER = 160;

export class Found extends PageModule {
  #news = 0; // news of the thread at the last look
  #told = ""; // the match that a screen reader was told last

  /** @param {Page & { root: HTMLElement, messages: HTMLElement }} page */
  constructor({ root, messages, ...page }) {
    super(page);
    this.root = root;
    this.messages = messages;
    this.matches = new Matches({
      ask: (threadId, query) => this.net.api.matches(threadId, query),
      show: (messageId) => this.data.thread.show(messageId),
      changed: () => this.ui.painter.ask("thread", "messages"),
    });
  }

  get shown() { return this.matches.shown; }

  // Opens a result of a search.
  /** @param {number} threadId @param {{query: string, messageId: number}} found */
  begin(threadId, found) {
    this.#told = "";
    if (threadId === this.data.thread.id) this.matches.begin(threadId, found);
  }

  /** @param {number} step */
  step(step) { this.matches.step(step); }

  leave() {
    if (this.root.contains(document.activeElement)) this.messages.focus();
    if (this.shown) this.matches.leave();
  }

  /** @param {number} messageId */
  lookOf(messageId) {
    const { shown, currentId } = this.matches;
    return {
      marks: this.matches.marksOf(messageId),
      current: shown && messageId === currentId,
    };
  }

  // The message was scrolled to.
  /** @param {number} messageId */
  reached(messageId) {
    const { state, place, total, currentId } = this.matches;
    const told = `${messageId} ${place} ${total}`;
    if (state !== "done" || messageId !== currentId || !place || told === this.#told) return;
    this.#told = told;
    const { t } = this.ui.language;
    const message = this.data.thread.messages.get(messageId);
    const name = authorName(message, this.data.thread.row, t);
    this.ui.announce(t("matches.told", { place, total, name, text: this.#around(message) }));
  }

  paint() {
    const { data: { thread }, matches } = this;
    matches.opened(thread.id);
    if (thread.news !== this.#news) matches.lookAgain();
    this.#news = thread.news;
    this.root.hidden = !matches.shown;
    this.root.setAttribute("aria-label", this.ui.language.t("search.results"));
    render(matches.shown ? this.#content() : "", this.root);
  }

  #around({ id, body }) {
    const points = [...(body ?? "")];
    const [[from] = [0]] = this.matches.marksOf(id);
    const start = Math.max(0, from - TOLD_BEFORE);
    return points.slice(start, from + TOLD_AFTER).join("").replace(/\s+/g, " ");
  }

  #content() {
    const { t } = this.ui.language;
    const { query, total } = this.matches;
    const button = (text, keys, icon, run, className = "") => html`<button type="button"
      class="icon-button ${className}" aria-keyshortcuts=${keys}
      aria-label=${t(text)} title="${t(text)} (${keys.replace("+", " ")})"
      ?disabled=${total < 1} @click=${run}>${icon}</button>`;
    return html`<span class="matches-icon">${ICONS.search}</span>
      <bdi translate="no" class="matches-query">${query}</bdi>
      <span class="matches-place">${this.#place()}</span>
      ${button("matches.previous", "Shift+F3", ICONS.down, () => this.step(-1), "matches-previous")}
      ${button("matches.next", "F3", ICONS.down, () => this.step(1))}
      <button type="button" class="icon-button" aria-label=${t("matches.leave")}
        title=${t("matches.leave")} @click=${() => this.leave()}>${ICONS.close}</button>`;
  }

  #place() {
    const { t } = this.ui.language;
    const { state, place, total } = this.matches;
    if (state === "asking") return t("loading");
    if (state === "failed") return t("search.failed");
    return place ? t("matches.place", { place, total }) : t("matches.count", { count: total });
  }
}
