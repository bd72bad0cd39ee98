// The presence of people on screen: their states, the threads they have open, and typing.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LATELY_MS = 5 * MINUTE;
const GATHER_MS = 100;
const AGE_MS = 10_000;
// Signs end by themselves unless the server repeats them: typing after a while, since the server repeats
// it while it goes on; and viewers of a thread once the connection is lost.
const TYPING_MS = 7500;
const VIEWERS_MS = 60_000;
// After a reconnection the server sends the viewers of the threads on screen; others have left.
const RENEWED_MS = 2500;
const RETRY_MS = 5000;
const KINDS = ["customer", "admin"];

// Returns "online", "away", "busy", "dnd", "lately" (gone for less than 5 minutes) or "offline".
/** @param {number} now */
export function dotOf(state, now) {
  if (!state) return "offline";
  if (state.status !== "offline") return state.status;
  return state.last_seen !== null && now - state.last_seen < LATELY_MS ? "lately" : "offline";
}

// Returns {unit: "active", "now", "minutes", "hours", "days", "unknown" or "pending", count}. Future times are
// "now"; "pending": the server has not yet told the state.
/** @param {number} now */
export function seenAge(state, now) {
  if (!state) return { unit: "pending", count: 0 };
  if (state.status === "offline" && state.last_seen === null) return { unit: "unknown", count: 0 };
  if (state.status !== "offline") return { unit: "active", count: 0 };
  const passed = now - state.last_seen;
  if (passed < MINUTE) return { unit: "now", count: 0 };
  if (passed < HOUR) return { unit: "minutes", count: Math.floor(passed / MINUTE) };
  if (passed < DAY) return { unit: "hours", count: Math.floor(passed / HOUR) };
  return { unit: "days", count: Math.floor(passed / DAY) };
}

export class Presence {
  late = false;
  #people = { customer: new Map(), admin: new Map() };
  #wanted = { customer: new Map(), admin: new Map() }; // reason → ids
  #watched = { customer: new Set(), admin: new Set() }; // as the server knows them
  #viewers = new Map(); // thread → {viewers, at, run}
  #typing = new Map(); // thread → {customers, at}
  #timer = null;
  #connected = false;
  #run = 0; // counts connections and their losses

  /** @param {PresenceOptions} options */
  constructor({ call, adminId, watchMax, changed, now = Date.now, timers = globalThis }) {
    this.call = call;
    this.adminId = adminId;
    this.watchMax = watchMax;
    this.changed = changed;
    this.now = now;
    this.timers = timers;
    this.want("admin", "self", [adminId]);
    timers.setInterval?.(() => this.changed(), AGE_MS);
  }

  /** @param {PersonKind} kind @param {string | number} id */
  of(kind, id) { return this.#people[kind].get(String(id)); }
  /** @param {PersonKind} kind @param {string | number} id */
  dot(kind, id) { return dotOf(this.of(kind, id), this.now()); }
  /** @param {PersonKind} kind @param {string | number} id */
  age(kind, id) { return seenAge(this.of(kind, id), this.now()); }

  // Whether this admin has chosen "do not disturb", here or elsewhere.
  get doNotDisturb() { return this.of("admin", this.adminId)?.status === "dnd"; }

  // Returns the colleagues in the thread, the busiest first.
  /** @param {number} threadId */
  others(threadId) {
    const { viewers = [], at = 0 } = this.#viewers.get(threadId) ?? {};
    const others = viewers.filter(({ id }) => id !== this.adminId);
    if (this.now() - at < TYPING_MS) return others;
    return others.map((one) => (one.mode === "typing" ? { ...one, mode: "editing" } : one));
  }

  /** @param {number} threadId */
  isTyping(threadId) {
    const { customers = [], at = 0 } = this.#typing.get(threadId) ?? {};
    return customers.length > 0 && this.now() - at < TYPING_MS;
  }

  // Sets the people whose states are kept current for this reason.
  /** @param {PersonKind} kind @param {string} reason @param {(string | number)[]} ids */
  want(kind, reason, ids) {
    const wanted = [...new Set(ids.map(String))];
    const before = this.#wanted[kind].get(reason) ?? [];
    if (wanted.length === before.length && wanted.every((id, at) => id === before[at])) return;
    this.#wanted[kind].set(reason, wanted);
    this.#schedule();
  }

  // Drops what is known of threads off screen, since the server sends nothing about them.
  /** @param {number[]} threadIds */
  onScreen(threadIds) {
    const seen = new Set(threadIds);
    for (const map of [this.#viewers, this.#typing]) {
      for (const id of map.keys()) if (!seen.has(id)) map.delete(id);
    }
  }

  connected() {
    this.#connected = true;
    this.#run += 1;
    this.#typing.clear();
    this.#forgetViewers(RENEWED_MS);
    for (const kind of KINDS) this.#watched[kind].clear();
    this.#schedule();
  }

  // Dots keep their last state until the server answers after a reconnection.
  disconnected() {
    this.#connected = false;
    this.#run += 1;
    this.#forgetViewers(VIEWERS_MS);
  }

  update({ kind, presence }) {
    const people = this.#people[kind];
    for (const [id, state] of Object.entries(presence)) {
      if (!this.#watched[kind].has(id) || people.get(id)?.v >= state.v) continue;
      people.set(id, state);
    }
    this.changed();
  }

  status({ late }) {
    this.late = late;
    this.changed();
  }

  viewers({ thread_id: id, viewers }) {
    this.#viewers.set(id, { viewers, at: this.now(), run: this.#run });
    this.#changed(viewers.some(({ mode }) => mode === "typing"));
  }

  typing({ thread_id: id, customers }) {
    this.#typing.set(id, { customers, at: this.now() });
    this.#changed(customers.length > 0);
  }

  // The thread is now at a desk that the admin does not see: the server sends nothing more about it.
  /** @param {number} threadId */
  gone(threadId) {
    this.#viewers.delete(threadId);
    this.#typing.delete(threadId);
    this.changed();
  }

  // typing: repaints also when the typing has ended by itself.
  #changed(typing) {
    this.changed();
    if (typing) this.timers.setTimeout(() => this.changed(), TYPING_MS + 1);
  }

  // Drops, after this time, viewers that this connection, or its loss, has not renewed.
  #forgetViewers(ms) {
    const run = this.#run;
    this.timers.setTimeout(() => {
      if (run !== this.#run) return;
      for (const [id, known] of this.#viewers) if (known.run !== run) this.#viewers.delete(id);
      this.changed();
    }, ms);
  }

  #schedule() {
    if (this.#timer !== null || !this.#connected) return;
    this.#timer = this.timers.setTimeout(() => {
      this.#timer = null;
      if (!this.#connected) return;
      // The server counts people of both kinds together: removals come first to make room.
      const changes = KINDS.map((kind) => this.#changes(kind))
        .sort((a, b) => Number(a.more > 0) - Number(b.more > 0));
      for (const { kind, wanted, add, del } of changes) {
        if (add.length || del.length) this.#watch(kind, wanted, add, del);
      }
    }, GATHER_MS);
  }

  #changes(kind) {
    const wanted = this.#wantedOf(kind);
    const watched = this.#watched[kind];
    const add = [...wanted].filter((id) => !watched.has(id));
    const del = [...watched].filter((id) => !wanted.has(id));
    return { kind, wanted, add, del, more: add.length - del.length };
  }

  // Colleagues are few and come first: customers get the remaining places.
  #wantedOf(kind) {
    const most = kind === "admin" ? this.watchMax : this.watchMax - this.#wantedOf("admin").size;
    return new Set([...new Set([...this.#wanted[kind].values()].flat())].slice(0, most));
  }

  async #watch(kind, wanted, add, del) {
    this.#watched[kind] = wanted;
    try {
      const answer = await this.call("presence:watch", { kind, add, del });
      this.#take(kind, answer.presence);
      for (const id of del) if (!this.#watched[kind].has(id)) this.#people[kind].delete(id);
    } catch {
      for (const id of add) this.#watched[kind].delete(id);
      this.timers.setTimeout(() => this.#schedule(), RETRY_MS);
    }
  }

  // A new snapshot replaces everything known before, regardless of its version.
  #take(kind, presence) {
    for (const [id, state] of Object.entries(presence)) this.#people[kind].set(id, state);
    this.changed();
  }
}
