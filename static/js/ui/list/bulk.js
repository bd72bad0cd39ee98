// One action on all selected threads, with a result for each; it can be stopped.

import { html } from "lit-html";

import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { refusal, refusalOf } from "../elements/language.js";
import { menu, priorityItems } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { twice } from "../elements/undoing.js";
import { countText } from "./picks.js";

const UNASKED_MAX = 20; // an action on up to so many threads is done without a question
const LEAVING = new Set(["close", "reopen", "snooze", "wake"]);
const CHUNK = 50; // threads in one request, so that other requests are served in between

export class Bulk extends PageModule {
  progress = null; // {done, total} while it runs
  #stopped = false;

  get busy() { return this.progress !== null; }

  // Stops the action; threads that are not done yet stay selected.
  stop() { this.#stopped = true; }

  // Closes the threads, or reopens them in the view `history`.
  finish() { return this.run(this.data.lists.list.view === "history" ? "reopen" : "close"); }

  // ids: by default the selected threads.
  /** @param {string} action */
  async run(action, more = {}, ids = this.ui.picks.ids) {
    if (this.busy || !ids.length) return undefined;
    // The messages on screen now, not after the question.
    if (action === "close") more = { seen: this.#seen(ids) };
    if (!(await this.#mayRun(action, ids, more)) || this.busy) return undefined;
    return this.acts.undoing.during(() => this.#run(action, more, ids));
  }

  async #run(action, more, ids) {
    this.#stopped = false;
    const { results, problem } = await this.#ask(ids, action, more);
    const open = action === "close" ? await this.#stillOpen(results) : 0;
    this.#setProgress(null);
    this.#keepFocus(action, results);
    this.#tell(results, { action, more, open, left: ids.length - results.length, problem });
  }

  // The buttons of the selection are gone: further keys are for the list, and not for the open thread. A row
  // that leaves the list is not the keyboard's any more.
  #keepFocus(action, results) {
    const { activeElement } = document;
    const { listing } = this.data.lists;
    const isGone = results.some(({ id, status }) => id === listing.activeId && status === "done");
    if (isGone && LEAVING.has(action)) listing.activeId = null;
    const isLost = !activeElement || activeElement === document.body || activeElement.closest("#list-header");
    if (isLost && !this.ui.picks.size) this.ui.listPane.focus();
  }

  // Returns how many threads that were to be closed are open, because the customer has written meanwhile (H28).
  async #stillOpen(results) {
    const ids = results.filter(({ status, act }) => status === "done" && !act).map(({ id }) => id);
    let open = 0;
    for (let from = 0; from < ids.length; from += this.data.limits.row_ids) {
      const answer = await this.net.api.rows(ids.slice(from, from + this.data.limits.row_ids)).catch(() => null);
      for (const row of answer?.rows ?? []) {
        this.data.rows.put(row);
        open += row.open ? 1 : 0;
      }
    }
    return open;
  }

  // Asks first before an action on many threads, and before threads of colleagues or with waiting customers are
  // closed. A claim keeps nobody waiting: it needs a question only above the admin's capacity.
  async #mayRun(action, ids, { priority = "", until = 0 } = {}) {
    const { t } = this.ui.language;
    const waiting = action === "close" ? this.#waiting(ids) : 0;
    const theirs = action === "close" ? this.#theirs(ids) : 0;
    if (action === "claim") return (await this.ui.queues.part?.mayTake(ids)) ?? true;
    if (ids.length <= UNASKED_MAX && !waiting && !theirs) return true;
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
      text: [
        theirs ? t("ask.theirs", { count: theirs }) : "", waiting ? t("ask.waiting", { count: waiting }) : "",
        t("ask.many"),
      ].filter(Boolean).join(" "),
      yes: t(yes),
    }, t);
  }

  #theirs(ids) {
    const open = ids.map((id) => this.data.rows.get(id)).filter((row) => row?.open);
    return open.filter(({ assignee }) => assignee && assignee.id !== this.data.adminId).length;
  }

  // Returns how many of the threads wait for an answer; unknown rows count on the view of waiting threads.
  #waiting(ids) {
    const unknown = this.data.lists.list.view === "not_respond";
    return ids.filter((id) => {
      const row = this.data.rows.get(id);
      return row ? row.open && row.waiting_since !== null : unknown;
    }).length;
  }

  // open: threads that were to be closed and are not; left: number of threads that were not tried; problem: the
  // reason, unless the admin stopped it.
  #tell(results, { action, more, open, left, problem }) {
    const { t } = this.ui.language;
    const refused = results.filter(({ status }) => status !== "done");
    const acts = results.map(({ act }) => act).filter(Boolean);
    const same = results.length - refused.length - acts.length - open;
    const told = [
      acts.length || !(same || open) ? this.#did(action, more, acts.length) : "",
      open ? t("bulk.open", { count: open }) : "",
      same ? t("bulk.same", { count: same }) : "",
      refused.length ? t("bulk.refused", { count: refused.length }) : "",
      ...(left ? [problem, t("bulk.left", { count: left })] : []),
    ];
    const show = { text: t("bulk.show"), run: () => this.#show(results) };
    this.acts.undoing.offer({
      text: told.filter(Boolean).join(" "), name: this.#did(action, more, acts.length), acts,
      actions: refused.length ? [show] : [],
    });
  }

  // "50 threads tagged: late."
  #did(action, { until = 0, priority = "", add = [], remove = [], desk = "", admin_id: to = null }, count) {
    const { t } = this.ui.language;
    const kind = action === "tag" && !add.length ? "untag" : action !== "assign" ? action
      : desk ? "desk" : to === null ? "release" : "assign";
    return t(`bulk.did.${kind}`, {
      count, time: this.#timeOf(until), priority: priority ? t(`priority.${priority}`) : "", desk,
      tags: [...add, ...remove].join(", "),
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
        aria-keyshortcuts="h" ?disabled=${this.busy} @click=${(event) => this.ui.snooze.open(event, picks.target)}
        >${ICONS.snoozed}</button>`}
      ${menu({
        id: "bulk-menu", label: t("act.more"), text: ICONS.more, items: this.items(),
      })}
      <button type="button" class="icon-button" aria-label=${t("pick.clear")}
        title=${t("pick.clear")}
        aria-keyshortcuts="Escape" @click=${() => picks.clear()}>${ICONS.close}</button>`;
  }

  // The acts without a button of their own.
  items() {
    const { picks, language: { t } } = this.ui;
    return [
      { text: t("act.hand"), key: "a", run: () => this.ui.handOver.open(null, picks.target) },
      { text: t("tags"), key: "l", run: () => this.ui.tagPicker.open(null, picks.target) },
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
      try {
        const answer = (await twice(() => this.net.api.bulk(some, action, given))).results;
        results.push(...answer);
        this.ui.picks.drop(answer.filter(({ status }) => status === "done").map(({ id }) => id));
      } catch (error) {
        return { results, problem: refusalOf(error, this.ui.language.t) };
      }
    }
    return { results, problem: "" };
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
