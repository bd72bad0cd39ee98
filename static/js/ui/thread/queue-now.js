// The queue now: the pane while no thread is open, with the queue by the age of its waits and the admin's own
// work; and the line above a supervisor's list.

import { html, render } from "lit-html";

import { age } from "../../core/time.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";

const AGAIN_MS = 60_000; // waits grow by themselves
const SOON_MS = 5000; // after another number of threads waits
const OWN = ["mine", "mentions"];

export class QueueNow extends PageModule {
  #over = []; // [{minutes, count}] from the server, the shortest wait first
  #askedAt = -Infinity;
  #waiting; // the number of waiting threads when the server was asked last
  #timer = null;
  #timers;

  /** @param {Page & { timers?: Timers }} page */
  constructor({ timers = globalThis, ...page }) {
    super(page);
    this.#timers = timers;
  }

  // Called at each painting of the pane without a thread, and so never while the window is hidden.
  content() {
    const { data: { totals }, ui: { language: { t } } } = this;
    const waiting = totals.of("not_respond");
    if (waiting) this.#look(waiting);
    return html`<section class="queue-now" aria-labelledby="queue-now-title">
      <h2 class="queue-now-title" id="queue-now-title">${waiting === undefined ? t("thread.none")
        : waiting ? t("queue.waiting", { count: waiting }) : t("empty.not_respond")}</h2>
      ${waiting && this.#over.length ? html`<ul class="queue-now-list">${
        this.#bands(waiting).map((band) => this.#band(band, waiting))}</ul>` : ""}
      <ul class="queue-now-list">${OWN.map((place) => this.#own(place))}</ul>
      <p class="queue-now-hint">${t("thread.none.text")}</p></section>`;
  }

  // Asks for the waits at once, or as soon as that is worth a request.
  #look(waiting) {
    const now = this.net.now();
    const dueAt = this.#askedAt + (waiting === this.#waiting ? AGAIN_MS : SOON_MS);
    this.#timers.clearTimeout(this.#timer);
    if (now >= dueAt) this.#ask(now, waiting);
    else this.#timer = this.#timers.setTimeout(() => this.#paint(), dueAt - now);
  }

  async #ask(now, waiting) {
    this.#askedAt = now;
    this.#waiting = waiting;
    const { over } = await this.net.api.queue().catch(() => ({ over: this.#over }));
    this.#over = over;
    this.#paint();
  }

  #paint() {
    if (this.data.thread.id === null) this.ui.painter.ask("messages");
  }

  // The waiting threads by the age of their waits, which together are all: {text, count, query}.
  #bands(waiting) {
    const { t } = this.ui.language;
    const over = this.#over.map(({ minutes, count }) => ({ minutes, count: Math.min(count, waiting) }));
    return [{ minutes: 0, count: waiting }, ...over].map(({ minutes: from, count }, at) => {
      const next = over[at];
      const to = next?.minutes;
      const name = !from ? "under" : to ? "between" : "beyond";
      return {
        text: t(`queue.${name}`, { minutes: from || to, from, to }),
        count: Math.max(0, count - (next?.count ?? 0)),
        query: [from && `waits:>${from}m`, to && `waits:<${to}m`].filter(Boolean).join(" "),
        isLong: !next,
      };
    });
  }

  #band({ text, count, query, isLong }, waiting) {
    const { data: { choices }, ui: { language: { t } }, acts: { navigation } } = this;
    const whole = `${choices.viewQueries.not_respond} ${query}`;
    return html`<li><button type="button" class="queue-now-line" ?data-long=${isLong && count > 0}
      @click=${() => navigation.openQuery(whole, { sort: "longest_wait" })}
      ><span class="queue-now-text">${text}</span>
      <progress class="queue-now-bar" aria-hidden="true" max=${waiting} .value=${count}></progress>
      <span class="queue-now-count">${t.number(count)}</span></button></li>`;
  }

  #own(place) {
    const { data: { totals }, ui: { language: { t } }, acts: { navigation } } = this;
    const count = totals.of(place);
    return html`<li><button type="button" class="queue-now-line" @click=${() => navigation.goView(place)}
      ><span class="queue-now-text">${ICONS[place]}${t(`view.${place}`)}</span>
      <span class="queue-now-count">${count === undefined ? "" : t.number(count)}</span></button></li>`;
  }
}

// The numbers above the list of a supervisor: waiting threads, the longest wait, and admins present.
const TICK_MS = 10_000; // the longest wait grows by itself

export class QueueLine extends PageModule {
  #numbers = null;

  // root: holds an empty line for supervisors, so that the list does not move when the numbers come.
  /** @param {Page & { root: HTMLElement, timers?: { setInterval(run: () => void, ms: number): unknown } }} page */
  constructor({ root, timers = globalThis, ...page }) {
    super(page);
    this.root = root;
    root.replaceChildren();
    timers.setInterval(() => { if (this.#numbers) this.ui.painter.ask("queue"); }, TICK_MS);
  }

  // numbers: from `queue:numbers`; null if the admin is no longer a supervisor.
  /** @param {QueueNumbers | null} numbers */
  take(numbers) {
    this.#numbers = numbers;
    this.ui.painter.ask("queue");
  }

  paint() { render(this.render(), this.root); }

  render() {
    if (!this.#numbers) return "";
    const { longest_since: since, over_ms: overMs, here } = this.#numbers;
    const waiting = this.data.totals.of("not_respond") ?? this.#numbers.waiting;
    const over = Math.min(this.#numbers.over, waiting);
    const { t, words } = this.ui.language;
    const time = since === null ? "" : words.short(age(since, this.net.now()), t("time.now"));
    const long = t("queue.over", { count: over, minutes: overMs / 60_000 });
    return html`<div class="queue-line" role="group" aria-label=${t("queue")}>
      <button type="button" class="queue-part" title=${t("queue.open")}
        @click=${() => this.#open()}>${t("queue.waiting", { count: waiting })}</button>
      ${since === null ? "" : html`<span class="queue-part">${t("queue.longest", { time })}</span>`}
      ${over ? html`<span class="queue-part" data-long>${long}</span>` : ""}
      ${here === null ? "" : html`<span class="queue-part">${t("queue.here", { count: here })}</span>`}
    </div>`;
  }

  #open() { this.acts.navigation.goList({ view: "not_respond", sort: "longest_wait" }); }
}
