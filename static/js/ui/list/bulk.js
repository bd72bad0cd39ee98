// One action on all selected threads, with a result for each; it can be stopped.

import { html } from "lit-html";

import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { refusal, refusalOf } from "../elements/language.js";
import { menu, priorityItems } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { countText } from "./picks.js";

const AGAIN_MS = 1000;
const UNASKED_MAX = 20; // an action on up to so many threads is done without a question
const CHUNK = 50; // threads in one request, so that other requests are served in between

export class Bulk extends PageModule {
  progress = null; // {done, total} while it runs
  #stopped = false;

  get busy() { return this.progress !== null; }

  // Stops the action; threads that are not done yet stay selected.
  stop() { this.#stopped = true; }

  // Closes the threads, or reopens them in the view `history`.
  finish() { return this.run(this.data.lists.list.view === "history" ? "reopen" : "close"); }

  /** @param {string} action */
  async run(action, more = {}) {
    const { ids } = this.ui.picks;
    if (this.busy || !ids.length) return;
    // The messages on screen now, not after the question.
    if (action === "close") more = { seen: this.#seen(ids) };
    if (!(await this.#mayRun(action, ids, more))) return;
    this.#stopped = false;
    const { results, problem } = await this.#ask(ids, action, more);
    this.#setProgress(null);
    this.#tell(results, ids.length - results.length, problem, more);
  }

  // Asks first before an action on many threads, and before threads with waiting customers are closed. A claim
  // needs no question, because it keeps nobody waiting.
  async #mayRun(action, ids, { priority = "", until = 0 } = {}) {
    const { t } = this.ui.language;
    const waiting = action === "close" ? this.#waiting(ids) : 0;
    if (action === "claim" || (ids.length <= UNASKED_MAX && !waiting)) return true;
    const { length: count } = ids;
    const texts = {
      close: ["ask.close", "act.done"], reopen: ["ask.reopen", "act.reopen"],
      release: ["ask.release", "act.release"], assign: ["ask.assign", "act.hand"], priority: ["ask.priority", "act.priority"],
      snooze: ["ask.snooze", "act.snooze"], wake: ["ask.wake", "act.wake"],
      tag: ["ask.tag", "tags.apply"],
    };
    const [title, yes] = texts[action];
    return ask(this.ui.dialog, {
      title: t(title, {
        count, priority: priority ? t(`priority.${priority}`) : "", time: this.#timeOf(until),
      }),
      text: [waiting ? t("ask.waiting", { count: waiting }) : "", t("ask.many")]
        .filter(Boolean).join(" "),
      yes: t(yes),
    }, t);
  }

  // Returns how many of the threads wait for an answer; unknown rows count on the view of waiting threads.
  #waiting(ids) {
    const unknown = this.data.lists.list.view === "not_respond";
    return ids.filter((id) => {
      const row = this.data.rows.get(id);
      return row ? row.open && row.waiting_since !== null : unknown;
    }).length;
  }

  // left: number of threads that were not tried; problem: the reason, unless the admin stopped it.
  #tell(results, left, problem, { until = 0 }) {
    const { t } = this.ui.language;
    const refused = results.filter(({ status }) => status !== "done");
    const count = results.length - refused.length;
    const told = [t(until && count ? "bulk.snoozed" : "bulk.done", { count, time: this.#timeOf(until) })];
    if (refused.length) told.push(t("bulk.refused", { count: refused.length }));
    if (left) told.push(problem, t("bulk.left", { count: left }));
    const show = { text: t("bulk.show"), run: () => this.#show(results) };
    this.acts.undoing.offer({
      text: told.filter(Boolean).join(" "),
      acts: results.map(({ act }) => act).filter(Boolean),
      actions: refused.length ? [show] : [],
    });
  }

  #timeOf(until) { return until ? this.ui.language.words.moment(until, this.net.now()) : ""; }

  bar() {
    const { picks } = this.ui;
    const { t } = this.ui.language;
    const { view } = this.data.lists.list;
    const act = (action, text, key = "") => html`<button type="button" class="button"
      ?disabled=${this.busy} @click=${() => this.run(action)}
      >${text}${key ? html`<kbd>${key}</kbd>` : ""}</button>`;
    return html`<h2 class="unseen" id="list-title">${t(`view.${view}`)}</h2>
      <span class="news-slot bulk-count">${countText(picks, t)}</span>
      <span class="header-space"></span>
      ${view === "history" ? act("reopen", t("act.reopen"), "e")
        : act("close", t("act.done"), "e")}
      ${act("claim", t("act.claim"))}
      ${view === "history" ? "" : html`<button type="button" class="icon-button act-snooze"
        aria-label=${t("act.snooze")} title=${`${t("act.snooze")} (h)`} aria-haspopup="menu"
        aria-keyshortcuts="h" ?disabled=${this.busy} @click=${(event) => this.ui.snooze.open(event)}
        >${ICONS.snoozed}</button>`}
      ${menu({
        id: "bulk-menu", label: t("act.more"), text: ICONS.more, items: this.#items(),
      })}
      <button type="button" class="icon-button" aria-label=${t("pick.clear")}
        title=${t("pick.clear")}
        aria-keyshortcuts="Escape" @click=${() => picks.clear()}>${ICONS.close}</button>`;
  }

  #items() {
    const { t } = this.ui.language;
    return [
      { text: t("act.hand"), key: "a", run: () => this.ui.handOver.open() },
      { text: t("tags"), key: "l", run: () => this.ui.tagPicker.open() },
      { text: t("act.release"), run: () => this.run("release") },
      { text: t("act.reopen"), run: () => this.run("reopen") },
      { heading: t("act.priority") },
      ...priorityItems(this.data.choices.priorities, t, (priority) => this.run("priority", { priority })),
    ];
  }

  // Returns the newest message of each thread with a known row: the one that was on screen.
  #seen(ids) {
    return Object.fromEntries(ids
      .filter((id) => this.data.rows.get(id))
      .map((id) => [id, this.data.rows.get(id).last_message_id ?? 0]));
  }

  // Resolves to {results, problem}; after a request has failed twice, the rest is not tried.
  async #ask(ids, action, more) {
    const results = [];
    const chunk = Math.min(CHUNK, this.data.limits.row_ids);
    for (let from = 0; from < ids.length && !this.#stopped; from += chunk) {
      this.#setProgress({ done: from, total: ids.length });
      const some = ids.slice(from, from + chunk);
      const given = more.seen ? { seen: only(more.seen, some) } : more;
      const ask = async () => (await this.net.api.bulk(some, action, given)).results;
      try {
        // A repeated request does not repeat the effects of the first one.
        const answer = await ask().catch((error) => this.#again(error, ask));
        results.push(...answer);
        this.ui.picks.drop(answer.filter(({ status }) => status === "done").map(({ id }) => id));
      } catch (error) {
        return { results, problem: refusalOf(error, this.ui.language.t) };
      }
    }
    return { results, problem: "" };
  }

  async #again(error, ask) {
    if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    await new Promise((resolve) => { setTimeout(resolve, error.retryAfterMs ?? AGAIN_MS); });
    return ask();
  }

  #setProgress(progress) {
    this.progress = progress;
    this.ui.painter.ask("header", "banner");
  }

  #show(results) {
    const { t } = this.ui.language;
    const line = ({ id, status, problem }) => {
      const row = this.data.rows.get(id);
      return html`<li class="result" data-status=${status}>
        <bdi translate="no">${row ? nameOf(row, t) : `#${id}`}</bdi>
        <span>${status === "done" ? t("bulk.ok") : refusal(problem, t)}</span></li>`;
    };
    this.ui.dialog.open(t("bulk.title"), () => html`<ul class="results">${results.map(line)}</ul>`);
  }
}

const only = (seen, ids) => Object.fromEntries(
  ids.filter((id) => id in seen).map((id) => [id, seen[id]]),
);
