// Posts events to Lineup, each until it is stored there.

import { randomUUID } from "node:crypto";

import { answered, FINAL, Unavailable } from "./api.js";
import { Background } from "./work.js";

const BATCH_MAX = 500;
const PAUSE_MS = 5000;
// Answers to a whole batch that stay the same. Others, such as 404, are about the address.
const FINAL_OF_BATCH = new Set([400, 413, 422]);

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {Schemas["Event"]} Event */
/** @typedef {Event extends infer One ? One extends Event ? Omit<One, "id" | "occurred_at"> & {id?: string, occurred_at?: string} : never : never} NewEvent
 * an event without its id and its time, which the sender adds */

// Refusals that may pass: the message is stored later, or the thread loses tags. So long, and so often, such an event is posted again.
const PASSING = new Set(["unknown_message", "too_many_tags"]);
const PASSING_MS = 3_600_000;
const AGAIN_MS = 30_000;

export class Sender extends Background {
  #size = BATCH_MAX;
  /** @type {Map<string, {until: number, again: number}>} the events whose refusal may pass, by their ids */
  #passing = new Map();

  // An event is safe as soon as `send` has returned: the next process with the same file goes on with it, and its id makes it safe
  // to post it again. refused(event, problem): Lineup will never store this event. An edit of an unknown message, and tags too many for
  // a thread, are tried for an hour before.
  /** @param {import("./api.js").Lineup} lineup
   * @param {{file?: string, refused?: (event: Event, problem: Schemas["Problem"]) => unknown, log?: (text: string) => void}} given */
  constructor(lineup, { file = "", refused, log = console.warn } = {}) {
    super({ name: "lineup sender", file, pauseMs: PAUSE_MS, log }, () => this.postNext());
    this.lineup = lineup;
    this.log = log;
    this.refused = refused ?? ((event, problem) => log(`Lineup refused the event ${event.id}: ${problem.detail}`));
  }

  /** Stores an event to be posted, and returns its id. An id that waits already changes nothing. Without a time it is now, and never
   * before an earlier event. @param {NewEvent} given */
  send(given) {
    const at = new Date(Math.max(Date.now(), this.journal.lastMs)).toISOString();
    const { id, occurred_at, ...rest } = given;
    const event = /** @type {Event} */ ({ id: id || randomUUID(), occurred_at: occurred_at || at, ...rest });
    if (!this.journal.waiting.has(event.id)) this.journal.add({ event });
    this.worker.wake();
    return event.id;
  }

  /** Posts the events that wait longest; resolves to whether there were any. Throws Unavailable. */
  async postNext() {
    const events = this.#next();
    if (!events.length) return false;
    const { data, error, status } = await answered(this.lineup.POST("/events", { body: { events } })).catch((reason) => {
      // Lineup counts the whole batch, which may be more than the key may ever post.
      if (reason instanceof Unavailable && reason.status === 429) this.#size = Math.max(1, Math.floor(events.length / 2));
      throw reason;
    });
    let { results } = /** @type {{results?: Schemas["BatchResult"][]}} */ (data ?? error ?? {});
    if (!results) {
      if (!FINAL_OF_BATCH.has(status)) throw new Unavailable(`Lineup refuses a batch: ${status}`);
      // The whole batch is refused, which may be too long: half of it, down to one event.
      if (events.length > 1) {
        this.#size = Math.floor(events.length / 2);
        return true;
      }
      const given = /** @type {unknown} */ (error);
      const detail = "A proxy before Lineup refuses what is so large.";
      const problem = /** @type {Schemas["Problem"]} */ ({ detail, ...(typeof given === "object" && given), status });
      results = [{ index: 0, id: null, status: "rejected", problem }];
    }
    this.#size = Math.min(BATCH_MAX, 2 * this.#size);
    const settled = results.filter(({ index, problem }) => !this.#mayPass(events[index].id, problem));
    const done = settled.filter(({ problem }) => !problem || FINAL.has(problem.status));
    for (const { index, problem } of done) if (problem) await this.#tell(events[index], problem);
    this.journal.add({ done: done.map(({ index }) => events[index].id) });
    return done.length === settled.length;
  }

  /** @param {Event} event @param {Schemas["Problem"]} problem */
  async #tell(event, problem) {
    try {
      await this.refused(event, problem);
    } catch (error) {
      this.log(`lineup sender: refused() failed for the event ${event.id}: ${error}`);
    }
  }

  #next() {
    const events = [];
    for (const event of this.journal.waiting.values()) {
      if (events.length === this.#size) break;
      if ((this.#passing.get(event.id)?.again ?? 0) <= Date.now()) events.push(event);
    }
    return events;
  }

  // Whether the event is held back for a while, because its refusal may pass.
  /** @param {string} id @param {Schemas["Problem"] | null | undefined} problem */
  #mayPass(id, problem) {
    const now = Date.now();
    const { until } = this.#passing.get(id) ?? { until: now + PASSING_MS };
    this.#passing.delete(id);
    if (!problem || !PASSING.has(problem.code) || now >= until) return false;
    this.#passing.set(id, { until, again: now + AGAIN_MS });
    return true;
  }
}
