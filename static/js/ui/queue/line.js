// Above the list of a supervisor: how many wait, for how long, and who is here.

import { html } from "lit-html";

import { age } from "../../core/time.js";

const TICK_MS = 10_000; // the longest wait grows by itself

export class QueueLine {
  #numbers = null;
  #comes; // its place is kept, so that the list does not move when it comes

  /** @param {QueueLineParts} parts */
  constructor({ admin, painter, now, language, goList, timers = globalThis }) {
    this.#comes = admin.role === "supervisor";
    this.painter = painter;
    this.now = now;
    this.language = language;
    this.goList = goList;
    timers.setInterval(() => { if (this.#numbers) painter.ask("queue"); }, TICK_MS);
  }

  // numbers: as `queue:numbers` gives them; null for who is no supervisor any more.
  /** @param {QueueNumbers | null} numbers */
  take(numbers) {
    this.#numbers = numbers;
    this.#comes = numbers !== null;
    this.painter.ask("queue");
  }

  render() {
    if (!this.#numbers) return this.#comes ? html`<div class="queue-line"></div>` : "";
    const { waiting, longest_since: since, over, over_ms: overMs, here } = this.#numbers;
    const { t, words } = this.language;
    const time = since === null ? "" : words.short(age(since, this.now()), t("time.now"));
    const long = t("queue.over", { count: over, minutes: overMs / 60_000 });
    return html`<div class="queue-line" role="group" aria-label=${t("queue")}>
      <button type="button" class="queue-part" title=${t("queue.open")}
        @click=${() => this.#open()}>${t("queue.waiting", { count: waiting })}</button>
      ${since === null ? "" : html`<span class="queue-part">${t("queue.longest", { time })}</span>`}
      ${over ? html`<span class="queue-part" data-long>${long}</span>` : ""}
      ${here === null ? "" : html`<span class="queue-part">${t("queue.here", { count: here })}</span>`}
    </div>`;
  }

  #open() { this.goList({ view: "not_respond", sort: "longest_wait", filter: "all" }); }
}
