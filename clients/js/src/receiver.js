// Takes webhooks of Lineup, and hands what admins did to the chatbot, in order.

import { Webhook } from "standardwebhooks";

import { answered } from "./api.js";
import { Background } from "./work.js";

// A webhook may have been lost: so often events are read without one.
const PAUSE_MS = 30_000;
const BODY_BYTES_MAX = 1_048_576;
// A recorded webhook is refused after 5 minutes; until then the ids of so many are known.
const IDS_MAX = 10_000;

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {Schemas["OutgoingEvent"]} OutgoingEvent */
/** @typedef {OutgoingEvent | Schemas["AdminTyping"]} Received */
/** @template {Received["type"]} Type @typedef {(event: Extract<Received, {type: Type}>) => unknown} Handler */

/** @param {string} type @returns {type is "presence.customer" | "presence.team"} */
const isPresence = (type) => type.startsWith("presence.");

// The name and the time (ms) by which an event is known when it comes again. Events of a thread are known by their ids, as its `seq`
// may begin again: after a restore of Lineup, or when its customer was deleted and has come back. The `seq` of a person's presence is
// a time: earlier ones are outdated, too.
/** @param {OutgoingEvent} event @returns {[string, number]} */
const markOf = (event) => "thread" in event ? [event.id, Date.parse(event.occurred_at)]
  : [`${event.type}/${"customer" in event.data ? event.data.customer : ""}`, event.seq];

export class Receiver extends Background {
  /** @type {Map<string, ((event: any) => unknown)[]>} */
  #handlers = new Map();
  /** @type {Set<string>} */
  #ids = new Set();

  // Reads events by cursor, at once after each webhook, and calls the handlers of their types: one event after the other, and each
  // once, except that the last one comes again, with the same `id`, if the process ends before its handler has. An error of a handler
  // is logged, and the event is tried again before all later ones.
  /** @param {import("./api.js").Lineup} lineup @param {string} secret
   * @param {{file?: string, log?: (text: string) => void}} given */
  constructor(lineup, secret, { file = "", log = console.warn } = {}) {
    super({ name: "lineup receiver", file, pauseMs: PAUSE_MS, log }, () => this.readNext());
    this.lineup = lineup;
    this.webhook = new Webhook(secret);
    this.log = log;
  }

  /** @template {Received["type"]} Type @param {Type} type @param {Handler<Type>} handler */
  on(type, handler) {
    this.#handlers.set(type, [...this.#handlers.get(type) ?? [], handler]);
    return this;
  }

  /** Reads and hands over the events after the cursor; resolves to whether there were any. Throws Unavailable, and what a
   * handler throws. */
  async readNext() {
    let { data } = await this.#read(this.journal.cursor);
    if (!data && this.journal.cursor) {
      // Signed with an earlier secret key of Lineup. Known events are passed over.
      this.log("the cursor ended; all events of the last 30 days are read again");
      ({ data } = await this.#read(""));
    }
    if (!data) throw new Error("Lineup refuses to be read: is the key one with the scope read?");
    const { events } = /** @type {{events: OutgoingEvent[]}} */ (/** @type {unknown} */ (data));
    for (const event of events) {
      const [name, ms] = markOf(event);
      if (ms <= (this.journal.seqs.get(name) ?? 0)) continue;
      await this.#handOver(event);
      this.journal.add({ seq: [name, ms] });
    }
    if (data.next !== this.journal.cursor) this.journal.add({ cursor: data.next });
    return events.length > 0;
  }

  // A handler of a type of presence asks for it.
  /** @param {string} after */
  #read(after) {
    const include = [...this.#handlers.keys()].filter(isPresence);
    const query = { ...(after ? { after } : {}), ...(include.length ? { include } : {}) };
    return answered(this.lineup.GET("/events", { params: { query } }));
  }

  /** @param {Received} event */
  async #handOver(event) {
    for (const handler of this.#handlers.get(event.type) ?? []) await handler(event);
  }

  /** Takes a webhook; resolves to the status of its answer. Its content is not trusted for order: it only says that there is something
   * to read. `admin.typing` is handed over at once, as it is not stored anywhere, and once, also if its handler fails.
   * @param {Record<string, string | string[] | undefined>} headers @param {string} body */
  async take(headers, body) {
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let event;
    try {
      event = /** @type {Received} */ (this.webhook.verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name] ?? "")]))));
    } catch {
      return 401;
    }
    if (event.type !== "admin.typing") this.worker.wake();
    else if (!this.#ids.has(event.id)) {
      this.#ids.add(event.id);
      if (this.#ids.size > IDS_MAX) this.#ids.delete(/** @type {string} */ (this.#ids.values().next().value));
      await this.#handOver(event).catch((error) => this.log(`lineup receiver: ${error}`));
    }
    return 204;
  }

  /** A request listener of `node:http` that takes webhooks at any path.
   * @type {import("node:http").RequestListener} */
  listener = async (request, response) => {
    const status = await this.#answer(request).catch((error) => {
      this.log(`lineup receiver: ${error}`);
      return 500;
    });
    response.writeHead(status, { "Content-Length": 0 }).end();
  };

  /** @param {import("node:http").IncomingMessage} request */
  async #answer(request) {
    const parts = [];
    let bytes = 0;
    for await (const part of request) {
      bytes += part.length;
      if (bytes <= BODY_BYTES_MAX) parts.push(part);
    }
    return request.method !== "POST" ? 405 : bytes > BODY_BYTES_MAX ? 413
      : this.take(request.headers, Buffer.concat(parts).toString("utf8"));
  }
}
