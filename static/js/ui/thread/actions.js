// What can be done with the open thread. The screen changes when the server answers.

import { shown } from "../../core/names.js";
import { nameOf } from "../elements/avatar.js";
import { refusalOf } from "../elements/language.js";
import { tagsOf } from "./act-line.js";

// A thread that Done opened is not closed by a press that was meant for the one before it.
const SETTLE_MS = 400;
const CLOSED = "history"; // the view that a thread leaves when it is reopened

export class ThreadActions {
  #opened = { id: null, at: 0 }; // the thread that Done opened, and when

  // nextTo(id): the thread below in the list, or null; open(id) opens a thread.
  /** @param {ThreadActionsParts} parts */
  constructor({
    thread, lists, rows, api, toasts, painter, language, admin, undoing, now, nextTo, open,
  }) {
    this.thread = thread;
    this.lists = lists;
    this.rows = rows;
    this.api = api;
    this.toasts = toasts;
    this.painter = painter;
    this.language = language;
    this.adminId = admin.id;
    this.isSupervisor = admin.role === "supervisor";
    this.undoing = undoing;
    this.now = now;
    this.nextTo = nextTo;
    this.open = open;
  }

  // Claims the thread, or releases it if it is the admin's own. A supervisor takes it over.
  claim() {
    const { assignee } = this.thread.row ?? {};
    if (assignee?.id === this.adminId) return this.#act("release", "undo.released");
    return assignee && this.isSupervisor ? this.handOver({ admin_id: this.adminId }) : this.#act("claim");
  }

  // To a colleague or to nobody (null), here or at a desk, with a note for whoever has it next.
  /** @param {{admin_id: number | null, desk?: string, note?: string}} given */
  async handOver(given) {
    const { id, row } = this.thread;
    const done = await this.#try(() => this.api.assign(id, given));
    if (!done) return false;
    // At a desk that is not one's own it is out of sight; undone, it is opened again.
    if (!done.row) {
      this.#offer("undo.handed", { ...done, row }, { assignee: given.desk }, () => this.open(id));
      return true;
    }
    const { assignee } = done.row;
    if (given.desk) this.#offer("undo.handed", done, { assignee: given.desk });
    else if (!assignee) this.#offer("undo.released", done);
    else this.#offer("undo.handed", done, { assignee: shown(assignee.name) });
    return true;
  }

  /** @param {string} priority */
  async prioritise(priority) {
    const { id } = this.thread;
    const done = await this.#try(() => this.api.prioritise(id, priority));
    if (done?.act) {
      this.#offer("undo.priority", done, { priority: this.language.t(`priority.${priority}`) });
    }
    return done !== null;
  }

  // Of any thread: the picker stays open while others are opened.
  /** @param {number} id @param {TagChanges} changes */
  async tag(id, { add, remove }) {
    const done = await this.#try(() => this.api.tag(id, { add, remove }), id);
    if (!done) return false;
    const text = add.length ? "undo.tagged" : "undo.untagged";
    this.#offer(text, done, { tags: [...add, ...remove].join(", ") });
    return true;
  }

  // Closes the thread and opens the next one of the list that is shown. A closed one is reopened, and
  // the next one opened where it leaves the list by that. A thread in which the customer wrote what
  // was not on screen yet stays open (H28).
  // seen: the newest message that was on screen.
  async finish(seen = this.thread.shownId) {
    const { id, row } = this.thread;
    if (this.#hasJustOpened(id)) return false;
    const isClosed = row?.open === false;
    const walkOn = isClosed && this.lists.list.view !== CLOSED ? () => undefined : this.#walk(id);
    if (isClosed) return this.#act("reopen", "undo.reopened", walkOn);
    const done = await this.#try(() => this.api.close(id, seen));
    if (done && this.rows.get(id)?.open) {
      this.toasts.show(this.language.t("act.still_open"));
      return false;
    }
    if (!done) return false;
    this.#offer("undo.closed", done, {}, walkOn());
    return true;
  }

  // Puts the thread off until a moment (ms) and opens the next one of the list, as Done does; one that is
  // snoozed already only gets another moment. wake: "reply" or "never".
  /** @param {{until: number, wake: string}} given */
  async snooze(given) {
    const { id, row } = this.thread;
    const walkOn = row?.snooze ? () => undefined : this.#walk(id);
    const done = await this.#try(() => this.api.snooze(id, given));
    if (!done) return false;
    const time = this.language.words.moment(given.until, this.now());
    this.#offer("undo.snoozed", done, { time }, walkOn());
    return true;
  }

  wake() { return this.#act("wake", "undo.woken"); }

  // Where it goes on from a thread: a function that opens the next one, if this one is still open by
  // then, and returns what goes back to it.
  #walk(id) {
    const { listing } = this.lists;
    const next = this.nextTo(id);
    return () => {
      const walks = next !== null && this.thread.id === id && this.lists.listing === listing;
      if (walks) {
        listing.activeId = next;
        this.#opened = { id: next, at: this.now() };
        this.open(next);
      }
      // What was done by mistake is looked at again.
      return () => { if (walks && this.lists.listing === listing) this.open(id); };
    };
  }

  // Opens the thread below this one; at the end of the list nothing changes.
  /** @param {number} id */
  openNext(id) {
    const next = this.nextTo(id);
    if (next === null) return false;
    this.lists.listing.activeId = next;
    this.open(next);
    return true;
  }

  #hasJustOpened(id) {
    const { id: opened, at } = this.#opened;
    return id !== null && opened === id
      && (this.thread.state === "loading" || this.now() - at < SETTLE_MS);
  }

  async #act(action, told = "", walkOn = () => undefined) {
    const { id } = this.thread;
    const done = await this.#try(() => this.api.act(id, action));
    if (done && told) this.#offer(told, done, {}, walkOn());
    return done !== null;
  }

  #offer(text, { row, act }, more = {}, done = () => {}) {
    if (!act) return;
    const { t } = this.language;
    this.undoing.offer({ text: t(text, { name: nameOf(row, t), ...more }), acts: [act], done });
  }

  // The answer {row, act}, or null where it was not done.
  async #try(run, id = this.thread.id) {
    if (id === null) return null;
    try {
      const answer = await run();
      if (answer.row) this.rows.put(answer.row);
      else this.thread.gone(id);
      return answer;
    } catch (error) {
      if (error.code === "already_claimed") this.rows.mark(id);
      this.toasts.show(refusalOf(error, this.language.t));
      return null;
    } finally {
      this.painter.askAll();
    }
  }
}

// Shows what colleagues and the chatbot did to the open thread.
const IN_TIME = new Set(["thread.snoozed", "thread.woken", "thread.due"]);

export class ColleagueActions {
  /** @param {ColleagueActionsParts} parts */
  constructor({ alerts, toasts, language, adminId, now }) {
    this.alerts = alerts;
    this.toasts = toasts;
    this.language = language;
    this.adminId = adminId;
    this.now = now;
  }

  // by: {id, name}, or null for the chatbot; cause: a message of the customer or a handoff, which
  // show themselves, as does what time or the customer did to a snooze, and what undoes nothing.
  /** @param {Act} act */
  show(act) {
    const { type, by, priority, cause, until, reason, assignee } = act;
    const { t, words } = this.language;
    const tags = type === "thread.tags_changed" ? tagsOf(act) : null;
    const isNothing = type === "thread.tags_changed" && !tags;
    const isSilent = cause || isNothing || (IN_TIME.has(type) && (!by || (!until && !reason)));
    if (isSilent || by?.id === this.adminId || this.alerts.quiet) return;
    const isGiven = assignee && assignee.id !== by?.id;
    const text = tags ? `did.thread.tags.${tags.kind}` : isGiven ? "did.thread.given" : `did.${type}`;
    this.toasts.show(t(text, {
      ...act,
      ...tags,
      name: by ? t("did.by", by) : t("did.bot"),
      assignee: !assignee ? "" : assignee.id === this.adminId ? t("did.you") : shown(assignee.name),
      priority: priority ? t(`priority.${priority}`) : "",
      time: until ? words.moment(until, this.now()) : "",
    }));
  }
}
