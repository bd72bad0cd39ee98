// The queues, this admin's own load, and the threads that queues have just given to the admin.

export class QueueBoard {
  /** @type {ToldQueue[]} */
  list = []; // in their order
  /** @type {OwnLoad | null} */
  me = null;
  next = 0; // threads that the admin may take: one that waits in two queues counts once

  // The queues that may give this admin threads, and those from which the admin takes them.
  get mine() { return this.list.filter(({ mine }) => mine); }
  get pulled() { return this.mine.filter(({ mode }) => mode === "pull"); }
  // Whether the admin has anything to switch.
  get concerns() { return this.me !== null && this.mine.length > 0; }

  /** @param {number | null} id */
  of(id) { return this.list.find((queue) => queue.id === id) ?? null; }

  // Takes what has changed, and the order of all queues. Returns whether an earlier message was lost.
  /** @param {QueuesState} state */
  take({ queues, ids, me, next }) {
    if (me !== undefined) this.me = me;
    this.next = next;
    const changed = new Map(queues.map((queue) => [queue.id, queue]));
    const all = ids.map((id) => changed.get(id) ?? this.of(id));
    this.list = all.filter(Boolean);
    return this.list.length < ids.length;
  }
}

// A notice stands this long after its time: by then the server has taken the thread back, or has not.
const AFTER_MS = 2000;

// Threads that were given and are not opened, the oldest first.
export class GivenThreads {
  /** @type {Map<number, GivenThread>} */
  #threads = new Map();

  get list() { return [...this.#threads.values()]; }

  // The server sends those that are not opened again after a new connection. Returns whether it is new.
  /** @param {GivenThread} thread */
  add(thread) {
    const isNew = !this.#threads.has(thread.thread_id);
    this.#threads.set(thread.thread_id, thread);
    return isNew;
  }

  /** @param {number} id */
  drop(id) { return this.#threads.delete(id); }

  // Drops what needs no notice any more: the open thread, one that another admin has by now, a closed one, and
  // one whose time is over. Returns whether anything was dropped.
  /** @param {{openId: number | null, adminId: number, now: number, rowOf(id: number): Row | undefined}} given */
  look({ openId, adminId, now, rowOf }) {
    const before = this.#threads.size;
    for (const { thread_id: id, until, row } of this.list) {
      const known = rowOf(id);
      const isNewer = known && known.rev > row.rev;
      const isLost = isNewer && (known.assignee?.id !== adminId || !known.open);
      if (id === openId || isLost || (until !== null && now > until + AFTER_MS)) this.drop(id);
    }
    return this.#threads.size < before;
  }
}

// Whole seconds until a time, never below 0.
/** @param {number} until @param {number} now */
export const secondsLeft = (until, now) => Math.max(0, Math.floor((until - now) / 1000));

// "1:05"
/** @param {number} seconds */
export const countDown = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

// Returns sentences about threads that went back: one thread with its name, several by their numbers. The names are shown ones.
/** @param {{name: string, queue: string, reason: string}[]} back @param {Translate} t */
export function returnedText(back, t) {
  const [{ name, queue, reason }] = back;
  if (back.length === 1) return t(queue ? `queues.returned.${reason}` : "queues.returned.nowhere", { name, queue });
  return ["not_taken", "offline"].map((one) => [one, back.filter((each) => each.reason === one).length])
    .filter(([, count]) => count).map(([one, count]) => t(`queues.returned.${one}.many`, { count })).join(" ");
}

// Load and capacity in words; "" without queues.
/** @param {MemberLoad} member @param {Translate} t */
export function loadText({ load, capacity, accepting }, t) {
  if (typeof load !== "number" || typeof capacity !== "number") return "";
  return [
    t("queues.load", { load: t.number(load), capacity: t.number(capacity) }),
    load >= capacity ? t("queues.is.at_capacity") : "",
    accepting === false ? t("queues.is.not_accepting") : "",
  ].filter(Boolean).join(" · ");
}

// Whether so many more threads take a colleague above the capacity.
/** @param {MemberLoad} member @param {number} count */
export const isTooMany = ({ load, capacity }, count) => (
  typeof load === "number" && typeof capacity === "number" && load + count > capacity);

// Why a queue gave a thread to an admin, or why it waits, in sentences.
/** @param {QueueExplanation} given @param {boolean} isPulled whether the queue's admins ask @param {Translate} t */
export function explanation({ queue, admin, pulled, admins, others, position, of }, isPulled, t) {
  const place = position === null || of === null ? ""
    : t("queues.why.place", { position: t.number(position), count: of });
  const rest = admins.filter(({ is }) => is !== "given").map((one) => t("queues.why.one", {
    name: one.name, why: whyText(one, t),
  }));
  if (others) rest.push(t("queues.why.others", { count: others }));
  if (admin) {
    const got = admins.find(({ is }) => is === "given");
    const key = pulled ? "asked" : "given";
    const load = got ? numbersOf(got, t) : "";
    return [t(`queues.why.${key}`, { queue: queue.name, name: load ? `${admin.name}, ${load}` : admin.name }), ...rest].join(" ");
  }
  const isNobody = admins.every(({ is }) => !TAKES.has(is));
  const why = isPulled ? t("queues.why.asks") : isNobody ? t("queues.why.nobody") : "";
  return [t("queues.why.waits", { queue: queue.name }), why, ...rest, place].filter(Boolean).join(" ");
}

const TAKES = new Set(["given", "free", "released", "at_capacity"]); // states of admins who accept threads

const numbersOf = ({ load, capacity }, t) => (load === null || capacity === null ? ""
  : t("queues.load", { load: t.number(load), capacity: t.number(capacity) }));

function whyText(one, t) {
  const numbers = numbersOf(one, t);
  if (one.is === "free") return numbers;
  return [t(`queues.is.${one.is}`), one.is === "at_capacity" ? numbers : ""].filter(Boolean).join(", ");
}
