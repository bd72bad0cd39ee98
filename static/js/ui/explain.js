// Why the open thread stands where it stands: the rule, the fact it goes by, the place.

import { html, render } from "lit-html";

import { place as placeBelow } from "./menu.js";

export class Explain {
  #state = null; // {loading} | {answer} | {error}

  constructor({ element, desk }) {
    this.element = element;
    this.desk = desk;
  }

  async open() {
    const { threadId, place, api } = this.desk;
    if (threadId === null) return;
    this.#set({ loading: true });
    this.element.showPopover();
    this.#position();
    try {
      const answer = await api.explain(threadId, place);
      if (threadId === this.desk.threadId) this.#set({ answer, place });
    } catch (error) {
      this.#set({ error });
    }
    this.#position();
  }

  #set(state) {
    this.#state = state;
    render(this.#content(), this.element);
  }

  #position() {
    const button = document.getElementById("explain-button");
    const opener = button?.offsetParent ? button : document.getElementById("thread-head");
    placeBelow(this.element, opener.getBoundingClientRect());
  }

  #content() {
    const { t } = this.desk;
    const { loading, error, answer } = this.#state;
    if (loading) return html`<p class="explain-loading">${t("loading")}</p>`;
    if (error) {
      return html`<p>${error.status === 404 ? t("explain.not_here") : t("error.other")}</p>`;
    }
    return this.#standing(answer);
  }

  #standing({ rule, tier, fact, value, score, rank, total }) {
    const { t, words } = this.desk;
    const { page, sort } = this.#state.place;
    // rank counts from 0; null: the thread is not on this page
    const title = rank === null ? t("explain.not_here")
      : t("explain.rank", { rank: rank + 1, total });
    return html`<h2 class="explain-title" id="explain-title">${title}</h2>
      <p class="explain-list">${t(`page.${page}`)} · ${t(`sort.${sort}`)}</p>
      <dl class="explain-facts">
        <dt>${t("explain.rule")}</dt><dd>${t.named("rule", rule)}</dd>
        <dt>${t("explain.tier")}</dt><dd>${tier}</dd>
        <dt>${t("explain.fact")}</dt>
        <dd>${t.named("fact", fact)}
          ${typeof value === "number" ? html`<br>${words.exact(value)}` : ""}</dd>
        <dt>${t("explain.score")}</dt><dd class="explain-score">${score}</dd>
      </dl>`;
  }
}
