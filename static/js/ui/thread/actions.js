// The actions on the open thread. The screen changes when the server has answered.

import { html } from "lit-html";

import { shown } from "../../core/names.js";
import { nameOf } from "../elements/avatar.js";
import { refusal, refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { tagsOf } from "./act-line.js";

// After Done has opened a thread, a second press within this time was meant for the one before it.
const SETTLE_MS = 400;
const CLOSED = "history"; // the view that a reopened thread leaves

export class ThreadActions extends PageModule {
  #opened = { id: null, at: 0 }; // the thread that Done opened, and when

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.adminId = this.data.admin.id;
    this.isSupervisor = this.data.admin.role === "supervisor";
  }

  // Returns the thread below in the list, or null.
  #nextTo(id) { return this.data.neighbours.next(id) ?? this.ui.listPane.nextTo(id); }

  // Claims the thread, or releases it if it is the admin's own. Supervisors take over a colleague's.
  claim() {
    const { assignee } = this.data.thread.row ?? {};
    if (assignee?.id === this.adminId) return this.#act("release", "undo.released");
    return assignee && this.isSupervisor ? this.handOver({ admin_id: this.adminId }) : this.#act("claim");
  }

  // Hands the thread to a colleague or to nobody (null), here or at a desk, with a note for the next assignee.
  /** @param {{admin_id: number | null, desk?: string, note?: string}} given */
  async handOver(given) {
    const { id, row } = this.data.thread;
    const done = await this.#try(() => this.net.api.assign(id, given));
    if (!done) return false;
    // At a desk that the admin does not see it is out of sight; if the handover is undone, it is opened again.
    if (!done.row) {
      this.#offer("undo.handed", { ...done, row }, { assignee: given.desk }, () => this.acts.open(id));
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
    const { id } = this.data.thread;
    const done = await this.#try(() => this.net.api.prioritise(id, priority));
    if (done?.act) {
      this.#offer("undo.priority", done, { priority: this.ui.language.t(`priority.${priority}`) });
    }
    return done !== null;
  }

  // Changes tags of any thread: the picker stays open while others are opened.
  /** @param {number} id @param {TagChanges} changes */
  async tag(id, { add, remove }) {
    const done = await this.#try(() => this.net.api.tag(id, { add, remove }), id);
    if (!done) return false;
    const text = add.length ? "undo.tagged" : "undo.untagged";
    this.#offer(text, done, { tags: [...add, ...remove].join(", ") });
    return true;
  }

  // Closes the thread and opens the next one of the current list. A closed thread is reopened instead, and the
  // next one is opened if it then leaves the list. A thread stays open if the customer wrote something that was
  // not on screen yet (H28).
  // seen: the newest message that was on screen.
  async finish(seen = this.data.thread.shownId) {
    const { id, row } = this.data.thread;
    if (this.#hasJustOpened(id)) return false;
    const isClosed = row?.open === false;
    const walkOn = isClosed && this.data.lists.list.view !== CLOSED ? () => undefined : this.#walk(id);
    if (isClosed) return this.#act("reopen", "undo.reopened", walkOn);
    const done = await this.#try(() => this.net.api.close(id, seen));
    if (done && this.data.rows.get(id)?.open) {
      this.ui.toasts.show(this.ui.language.t("act.still_open"));
      return false;
    }
    if (!done) return false;
    this.#offer("undo.closed", done, {}, walkOn());
    return true;
  }

  // Snoozes the thread until a moment (ms) and opens the next one of the list, like Done. A thread that is
  // snoozed already only gets another moment. wake: "reply" or "never".
  /** @param {{until: number, wake: string}} given */
  async snooze(given) {
    const { id, row } = this.data.thread;
    const walkOn = row?.snooze ? () => undefined : this.#walk(id);
    const done = await this.#try(() => this.net.api.snooze(id, given));
    if (!done) return false;
    const time = this.ui.language.words.moment(given.until, this.net.now());
    this.#offer("undo.snoozed", done, { time }, walkOn());
    return true;
  }

  wake() { return this.#act("wake", "undo.woken"); }

  // Returns a function that opens the thread after this one, if this one is still open then. That function
  // returns another one, which goes back.
  #walk(id) {
    const { listing } = this.data.lists;
    const next = this.#nextTo(id);
    return () => {
      const walks = next !== null && this.data.thread.id === id && this.data.lists.listing === listing;
      if (walks) {
        listing.activeId = next;
        this.#opened = { id: next, at: this.net.now() };
        this.acts.open(next);
      }
      // After an undo, the thread is shown again.
      return () => { if (walks && this.data.lists.listing === listing) this.acts.open(id); };
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

  #hasJustOpened(id) {
    const { id: opened, at } = this.#opened;
    return id !== null && opened === id
      && (this.data.thread.state === "loading" || this.net.now() - at < SETTLE_MS);
  }

  async #act(action, told = "", walkOn = () => undefined) {
    const { id } = this.data.thread;
    const done = await this.#try(() => this.net.api.act(id, action));
    if (done && told) this.#offer(told, done, {}, walkOn());
    return done !== null;
  }

  #offer(text, { row, act }, more = {}, done = () => {}) {
    if (!act) return;
    const { t } = this.ui.language;
    this.acts.undoing.offer({ text: t(text, { name: nameOf(row, t), ...more }), acts: [act], done });
  }

  // Resolves to the answer {row, act}, or to null after a refusal.
  async #try(run, id = this.data.thread.id) {
    if (id === null) return null;
    try {
      const answer = await run();
      if (answer.row) this.data.rows.put(answer.row);
      else this.data.thread.gone(id);
      return answer;
    } catch (error) {
      if (error.code === "already_claimed") this.data.rows.mark(id);
      this.ui.toasts.show(refusalOf(error, this.ui.language.t));
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
    const isGiven = assignee && assignee.id !== by?.id;
    const text = tags ? `did.thread.tags.${tags.kind}` : isGiven ? "did.thread.given" : `did.${type}`;
    this.ui.toasts.show(t(text, {
      ...act,
      ...tags,
      name: by ? t("did.by", by) : t("did.bot"),
      assignee: !assignee ? "" : assignee.id === this.data.adminId ? t("did.you") : shown(assignee.name),
      priority: priority ? t(`priority.${priority}`) : "",
      time: until ? words.moment(until, this.net.now()) : "",
    }));
  }
}

// Offers to undo the admin's last act, in a toast and by the key `z`.
const CHUNK = 50; // acts in one request

export class Undoing extends PageModule {
  #offers = new Offers();

  // acts: their ids; done() is called after the undo; actions stand beside Undo.
  /** @param {{text: string, acts: number[], done?: () => void, actions?: ToastAction[]}} given */
  offer({ text, acts, done = () => {}, actions = [] }) {
    if (!acts.length) return this.ui.toasts.show(text, actions);
    const offer = this.#offers.add({ acts, done, toast: 0 }, this.net.now());
    const undo = {
      text: html`${this.ui.language.t("undo")}<kbd>z</kbd>`,
      keys: "z",
      run: () => void this.#run(this.#offers.take(this.net.now(), offer)),
    };
    offer.toast = this.ui.toasts.show(text, [...actions, undo], OFFER_MS);
    return offer;
  }

  // Undoes the last act.
  undo() {
    const offer = this.#offers.take(this.net.now());
    if (!offer) return this.ui.toasts.show(this.ui.language.t("undo.nothing"));
    this.ui.toasts.drop(offer.toast);
    return this.#run(offer);
  }

  async #run(offer) {
    if (!offer) return;
    const { t } = this.ui.language;
    const results = [];
    try {
      for (let from = 0; from < offer.acts.length; from += CHUNK) {
        results.push(...(await this.net.api.undo(offer.acts.slice(from, from + CHUNK))).results);
      }
    } catch (error) {
      this.ui.toasts.show(refusalOf(error, t));
    }
    for (const { row } of results) if (row) this.data.rows.put(row);
    const refused = results.filter(({ status }) => status !== "done");
    const count = results.length - refused.length;
    if (count) offer.done();
    this.#tell(count, refused);
    this.ui.painter.askAll();
  }

  #tell(count, refused) {
    const { t } = this.ui.language;
    const told = count ? [t("undo.done", { count })] : [];
    if (refused.length === 1) told.push(refusal(refused[0].problem, t));
    else if (refused.length) told.push(t("undo.refused", { count: refused.length }));
    if (told.length) this.ui.toasts.show(told.join(" "));
  }
}

// The acts that can be undone: the newest first, each for ten seconds.
export const OFFER_MS = 10_000;

export class Offers {
  #list = [];

  // offer: any value, which `take` returns.
  /** @template T @param {T} offer @param {number} now @returns {T} */
  add(offer, now) {
    this.#list = [...this.#valid(now), { offer, until: now + OFFER_MS }];
    return offer;
  }

  // Returns the newest offer, or this one; null if its time is over or it was taken.
  /** @param {number} now */
  take(now, wanted = null) {
    const valid = this.#valid(now);
    const found = wanted === null ? valid.at(-1) : valid.find(({ offer }) => offer === wanted);
    this.#list = valid.filter((each) => each !== found);
    return found ? found.offer : null;
  }

  #valid(now) { return this.#list.filter(({ until }) => until > now); }
}
