// Who is here: states of the people that are looked at, who is in which thread, who writes there.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LATELY_MS = 5 * MINUTE;
const GATHER_MS = 100;
const AGE_MS = 10_000;
const WATCH_MAX = 500;
const KINDS = ["customer", "admin"];

// "online", "away", "busy", "dnd", "lately" (gone for less than 5 minutes) or "offline".
export function dotOf(state, now) {
  if (!state) return "offline";
  if (state.status !== "offline") return state.status;
  return state.last_seen !== null && now - state.last_seen < LATELY_MS ? "lately" : "offline";
}

// {unit: "active", "now", "minutes", "hours", "days" or "unknown", count}; a time to come is now.
export function seenAge(state, now) {
  if (!state || (state.status === "offline" && state.last_seen === null)) return { unit: "unknown", count: 0 };
  if (state.status !== "offline") return { unit: "active", count: 0 };
  const passed = now - state.last_seen;
  if (passed < MINUTE) return { unit: "now", count: 0 };
  if (passed < HOUR) return { unit: "minutes", count: Math.floor(passed / MINUTE) };
  if (passed < DAY) return { unit: "hours", count: Math.floor(passed / HOUR) };
  return { unit: "days", count: Math.floor(passed / DAY) };
}

// changed(): something to paint.
export class Presence {
  late = false;
  #people = { customer: new Map(), admin: new Map() };
  #wanted = { customer: new Map(), admin: new Map() }; // reason → ids
  #watched = { customer: new Set(), admin: new Set() }; // as the server knows it
  #viewers = new Map(); // thread → {version, viewers}
  #typing = new Map(); // thread → customers
  #timer = null;
  #connected = false;

  constructor({ call, adminId, changed, now = Date.now, timers = globalThis }) {
    Object.assign(this, { call, adminId, changed, now, timers });
    this.want("admin", "self", [adminId]);
    timers.setInterval?.(() => this.changed(), AGE_MS);
  }

  of(kind, id) { return this.#people[kind].get(String(id)); }
  dot(kind, id) { return dotOf(this.of(kind, id), this.now()); }
  age(kind, id) { return seenAge(this.of(kind, id), this.now()); }

  // Whether one wants quiet oneself: set in whatever window, and also by who hides.
  get doNotDisturb() { return this.of("admin", this.adminId)?.status === "dnd"; }

  // Colleagues in the thread, the busiest first.
  others(threadId) {
    const { viewers = [] } = this.#viewers.get(threadId) ?? {};
    return viewers.filter(({ id }) => id !== this.adminId);
  }

  isTyping(threadId) { return (this.#typing.get(threadId)?.length ?? 0) > 0; }

  // Whom to keep true for this reason; replaces what it wanted before.
  want(kind, reason, ids) {
    const wanted = [...new Set(ids.map(String))];
    const before = this.#wanted[kind].get(reason) ?? [];
    if (wanted.length === before.length && wanted.every((id, at) => id === before[at])) return;
    this.#wanted[kind].set(reason, wanted);
    this.#schedule();
  }

  // What is off screen is told no more: what was known of it is not true for ever.
  onScreen(threadIds) {
    const seen = new Set(threadIds);
    for (const map of [this.#viewers, this.#typing]) {
      for (const id of map.keys()) if (!seen.has(id)) map.delete(id);
    }
  }

  connected() {
    this.#connected = true;
    for (const kind of KINDS) this.#watched[kind].clear();
    this.#schedule();
  }

  // Dots stay as they were until the server has answered anew.
  disconnected() { this.#connected = false; }

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

  viewers({ thread_id: id, version, viewers }) {
    this.#viewers.set(id, { version, viewers });
    this.changed();
  }

  typing({ thread_id: id, customers }) {
    this.#typing.set(id, customers);
    this.changed();
  }

  #schedule() {
    if (this.#timer !== null || !this.#connected) return;
    this.#timer = this.timers.setTimeout(() => {
      this.#timer = null;
      for (const kind of KINDS) this.#watch(kind);
    }, GATHER_MS);
  }

  async #watch(kind) {
    const wanted = new Set([...this.#wanted[kind].values()].flat().slice(0, WATCH_MAX));
    const watched = this.#watched[kind];
    const add = [...wanted].filter((id) => !watched.has(id));
    const del = [...watched].filter((id) => !wanted.has(id));
    if (!this.#connected || (!add.length && !del.length)) return;
    this.#watched[kind] = wanted;
    try {
      const answer = await this.call("presence:watch", { kind, add, del });
      this.#take(kind, answer.presence);
      for (const id of del) if (!this.#watched[kind].has(id)) this.#people[kind].delete(id);
    } catch {
      for (const id of add) this.#watched[kind].delete(id);
    }
  }

  // A fresh reading stands above whatever was known before the connection.
  #take(kind, presence) {
    for (const [id, state] of Object.entries(presence)) this.#people[kind].set(id, state);
    this.changed();
  }
}
