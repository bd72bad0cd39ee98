// The actions on a thread. The screen changes when the server has answered.

import { shown } from "../../core/names.js";
import { nameOf } from "../elements/avatar.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { queueText, tagsOf } from "./act-line.js";

// After Done has gone on to a thread, a second press within this time was meant for the one before it.
const SETTLE_MS = 400;
const CLOSED = "history"; // the view that a reopened thread leaves
// An event about which two messages come: of two who take a thread at once one is refused, and hears of the act.
const TAKEN = "taken:";

export class ThreadActions extends PageModule {
  #reached = { id: null, at: 0 }; // the thread that Done went on to, and when

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.adminId = this.data.admin.id;
    this.isSupervisor = this.data.admin.role === "supervisor";
  }

  // Returns the thread below in the list, or null.
  #nextTo(id) { return this.data.neighbours.next(id) ?? this.ui.listPane.nextTo(id); }

  // Each act is on the open thread, unless another one is named.

  // Claims the thread, or releases it if it is the admin's own. Supervisors take over a colleague's.
  async claim(id = this.data.thread.id) {
    const { assignee } = this.data.rows.get(id) ?? {};
    const queues = this.ui.queues.part;
    if (assignee?.id === this.adminId) return queues?.giveBack(id) || this.#act(id, "release", "undo.released");
    const asked = queues?.mayTake([id]); // above the admin's capacity
    if (asked && !await asked) return false;
    return assignee && this.isSupervisor ? this.handOver({ admin_id: this.adminId }, id)
      : this.#act(id, "claim", "undo.claimed");
  }

  // Hands the thread to a colleague or to nobody (null), here or at a desk, with a note for the next assignee.
  /** @param {{admin_id: number | null, desk?: string, note?: string}} given */
  async handOver(given, id = this.data.thread.id) {
    const row = this.data.rows.get(id);
    const done = await this.#try(id, () => this.net.api.assign(id, given));
    if (!done) return false;
    // At a desk that the admin does not see it is out of sight; if the handover is undone, it is opened again.
    if (!done.row) {
      this.#offer("undo.handed", { ...done, row }, { assignee: given.desk }, () => this.acts.open(id));
      return true;
    }
    const { assignee } = done.row;
    if (given.desk) this.#offer("undo.handed", done, { assignee: given.desk });
    else if (!assignee) this.#offer("undo.released", done);
    else if (assignee.id !== this.adminId) this.#offer("undo.handed", done, { assignee: shown(assignee.name) });
    else if (row?.assignee) this.#offer("undo.taken_over", done, { assignee: shown(row.assignee.name) });
    else this.#offer("undo.claimed", done);
    return true;
  }

  /** @param {string} priority */
  async prioritise(priority, id = this.data.thread.id) {
    const done = await this.#try(id, () => this.net.api.prioritise(id, priority));
    if (done) this.#offer("undo.priority", done, { priority: this.ui.language.t(`priority.${priority}`) });
    return done !== null;
  }

  /** @param {number} id @param {TagChanges} changes */
  async tag(id, { add, remove }) {
    const done = await this.#try(id, () => this.net.api.tag(id, { add, remove }));
    if (!done) return false;
    const text = add.length ? "undo.tagged" : "undo.untagged";
    this.#offer(text, done, { tags: [...add, ...remove].join(", ") });
    return true;
  }

  // Finishes a thread by a key, which may be pressed by mistake: asks first if it is a colleague's.
  /** @param {number} id */
  async finishByKey(id) {
    const { ui: { dialog, language: { t } } } = this;
    const row = this.data.rows.get(id);
    const seen = this.#shownId(id);
    if (this.#hasJustReached(id)) return false;
    const isAsked = row?.open && this.#isTheirs(row);
    if (isAsked && !await ask(dialog, {
      title: t("ask.close.theirs", { name: nameOf(row, t), assignee: shown(row.assignee.name) }),
      text: [row.waiting_since === null ? "" : t("ask.waiting", { count: 1 }), t("ask.many")].filter(Boolean).join(" "),
      yes: t("act.done"),
    }, t)) return false;
    return this.finish({ id, seen });
  }

  // Closes the thread and goes on to the next one of the current list. A closed thread is reopened instead, and
  // the next one is opened if it then leaves the list. A thread stays open if the customer wrote something that
  // was not on screen yet (H28).
  // seen: the newest message that was on screen; walks: whether to go on.
  async finish({ id = this.data.thread.id, seen = this.#shownId(id), walks = true } = {}) {
    const row = this.data.rows.get(id);
    if (this.#hasJustReached(id)) return false;
    const isClosed = row?.open === false;
    const stays = !walks || (isClosed && this.data.lists.list.view !== CLOSED);
    const walkOn = stays ? () => undefined : this.#walk(id);
    if (isClosed) return this.#act(id, "reopen", "undo.reopened", walkOn);
    const done = await this.#try(id, () => this.net.api.close(id, seen));
    if (done && this.data.rows.get(id)?.open) {
      this.ui.toasts.show(this.ui.language.t("act.still_open"));
      return false;
    }
    if (!done) return false;
    this.#offerReopening(done, row, walkOn());
    return true;
  }

  // Says what may have been overlooked: a colleague had the thread, or the customer waits.
  #offerReopening(done, before, goBack) {
    if (before && this.#isTheirs(before)) {
      this.#offer("undo.closed.theirs", done, { assignee: shown(before.assignee.name) }, goBack);
    } else this.#offer(before?.waiting_since ? "undo.closed.waiting" : "undo.closed", done, {}, goBack);
  }

  #isTheirs({ assignee }) { return Boolean(assignee) && assignee.id !== this.adminId; }

  #shownId(id) {
    const { thread, rows } = this.data;
    return id === thread.id ? thread.shownId : rows.get(id)?.last_message_id ?? 0;
  }

  // Snoozes the thread until a moment (ms) and goes on to the next one of the list, like Done. A thread that is
  // snoozed already only gets another moment. wake: "reply" or "never".
  /** @param {{until: number, wake: string}} given */
  async snooze(given, id = this.data.thread.id) {
    const walkOn = this.data.rows.get(id)?.snooze ? () => undefined : this.#walk(id);
    const done = await this.#try(id, () => this.net.api.snooze(id, given));
    if (!done) return false;
    const time = this.ui.language.words.moment(given.until, this.net.now());
    this.#offer("undo.snoozed", done, { time }, walkOn());
    return true;
  }

  wake(id = this.data.thread.id) { return this.#act(id, "wake", "undo.woken"); }

  // Returns a function that goes to the thread after this one: opens it if this one is still open then, or
  // makes its row the one of the keyboard. That function returns another one, which goes back.
  #walk(id) {
    const { listing } = this.data.lists;
    const { thread } = this.data;
    const next = this.#nextTo(id);
    const isOpen = thread.id === id;
    const go = (to) => {
      listing.activeId = to;
      if (isOpen) this.acts.open(to);
      else this.ui.painter.ask("list");
    };
    return () => {
      const isHere = isOpen ? thread.id === id : listing.activeId === id;
      if (next === null || !isHere || this.data.lists.listing !== listing) return () => {};
      this.#reached = { id: next, at: this.net.now() };
      go(next);
      // After an undo, the thread is shown again.
      return () => { if (this.data.lists.listing === listing) go(id); };
    };
  }

  // Opens the thread below this one; at the end of the list nothing changes.
  /** @param {number} id */
  openNext(id) {
    const next = this.#nextTo(id);
    if (next === null) return false;
    this.data.lists.listing.activeId = next;
    this.acts.open(next);
    return true;
  }

  #hasJustReached(id) {
    const { id: reached, at } = this.#reached;
    const { thread } = this.data;
    const isLoading = id === thread.id && thread.state === "loading";
    return id !== null && reached === id && (isLoading || this.net.now() - at < SETTLE_MS);
  }

  async #act(id, action, told, walkOn = () => undefined) {
    const done = await this.#try(id, () => this.net.api.act(id, action));
    if (done) this.#offer(told, done, {}, walkOn());
    return done !== null;
  }

  #offer(text, { row, act }, more = {}, done = () => {}) {
    if (!act) return;
    const { t } = this.ui.language;
    const given = { name: nameOf(row, t), ...more };
    const name = t(text.startsWith("undo.closed") ? "undo.closed" : text, given);
    this.acts.undoing.offer({ text: t(text, given), name, acts: [act], done });
  }

  // Resolves to the answer {row, act}, or to null after a refusal.
  async #try(id, run) {
    if (id === null) return null;
    try {
      const answer = await this.acts.undoing.during(run);
      if (answer.row) this.data.rows.put(answer.row);
      else this.data.thread.gone(id);
      return answer;
    } catch (error) {
      const isTaken = error.code === "already_claimed";
      if (isTaken) this.data.rows.mark(id);
      this.ui.toasts.show(refusalOf(error, this.ui.language.t), null, { about: isTaken && TAKEN + id });
      return null;
    } finally {
      this.ui.painter.askAll();
    }
  }
}

// Announces what colleagues and the chatbot did to the open thread.
const IN_TIME = new Set(["thread.snoozed", "thread.woken", "thread.due"]);

export class ColleagueActions extends PageModule {
  // by: {id, name}, or null for the chatbot; cause: a message of the customer or a handoff. Nothing is shown
  // for acts with a cause, which is seen itself, for snoozes changed by time or customer, and for empty undos.
  /** @param {Act} act */
  show(act) {
    const { type, by, priority, cause, until, reason, assignee } = act;
    const { t, words } = this.ui.language;
    const tags = type === "thread.tags_changed" ? tagsOf(act) : null;
    const isNothing = type === "thread.tags_changed" && !tags;
    const isSilent = cause || isNothing || (IN_TIME.has(type) && (!by || (!until && !reason)));
    if (isSilent || by?.id === this.data.adminId || this.ui.alerts.quiet) return;
    const about = type === "thread.assigned" && TAKEN + this.data.thread.id;
    const isGiven = assignee && assignee.id !== by?.id;
    const text = tags ? `did.thread.tags.${tags.kind}` : isGiven ? "did.thread.given" : `did.${type}`;
    this.ui.toasts.show(queueText(act, { t, adminId: this.data.adminId }) || t(text, {
      ...act,
      ...tags,
      name: by ? t("did.by", by) : t("did.bot"),
      assignee: !assignee ? "" : assignee.id === this.data.adminId ? t("did.you") : shown(assignee.name),
      priority: priority ? t(`priority.${priority}`) : "",
      time: until ? words.moment(until, this.net.now()) : "",
    }), null, { about });
  }
}
