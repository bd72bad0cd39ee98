export class Receiver extends Background {
    /** @param {import("./api.js").Lineup} lineup @param {string} secret
     * @param {{file?: string, log?: (text: string) => void}} given */
    constructor(lineup: import("./api.js").Lineup, secret: string, { file, log }?: {
        file?: string;
        log?: (text: string) => void;
    });
    lineup: import("openapi-fetch").Client<import("../src/schema.js").paths, `${string}/${string}`>;
    webhook: Webhook;
    log: (text: string) => void;
    /** @template {Received["type"]} Type @param {Type} type @param {Handler<Type>} handler */
    on<Type extends Received["type"]>(type: Type, handler: Handler<Type>): this;
    /** Reads and hands over the events after the cursor; resolves to whether there were any. Throws Unavailable, and what a
     * handler throws. */
    readNext(): Promise<boolean>;
    /** Takes a webhook; resolves to the status of its answer. Its content is not trusted for order: it only says that there is something
     * to read. `admin.typing` is handed over at once, as it is not stored anywhere, and once, also if its handler fails.
     * @param {Record<string, string | string[] | undefined>} headers @param {string} body */
    take(headers: Record<string, string | string[] | undefined>, body: string): Promise<204 | 401>;
    /** A request listener of `node:http` that takes webhooks at any path.
     * @type {import("node:http").RequestListener} */
    listener: import("node:http").RequestListener;
    #private;
}
export type Schemas = import("../src/schema.js").components["schemas"];
export type OutgoingEvent = Schemas["OutgoingEvent"];
export type Received = OutgoingEvent | Schemas["AdminTyping"];
export type Handler<Type extends Received["type"]> = (event: Extract<Received, {
    type: Type;
}>) => unknown;
import { Background } from "./work.js";
import { Webhook } from "standardwebhooks";
