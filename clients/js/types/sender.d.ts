export class Sender extends Background {
    /** @param {import("./api.js").Lineup} lineup
     * @param {{file?: string, refused?: (event: Event, problem: Schemas["Problem"]) => unknown, log?: (text: string) => void}} given */
    constructor(lineup: import("./api.js").Lineup, { file, refused, log }?: {
        file?: string;
        refused?: (event: Event, problem: Schemas["Problem"]) => unknown;
        log?: (text: string) => void;
    });
    lineup: import("openapi-fetch").Client<import("../src/schema.js").paths, `${string}/${string}`>;
    log: (text: string) => void;
    refused: (event: Event, problem: Schemas["Problem"]) => unknown;
    /** Stores an event to be posted, and returns its id. An id that waits already changes nothing. Without a time it is now, and never
     * before an earlier event. @param {NewEvent} given */
    send(given: NewEvent): string;
    /** Posts the events that wait longest; resolves to whether there were any. Throws Unavailable. */
    postNext(): Promise<boolean>;
    #private;
}
export type Schemas = import("../src/schema.js").components["schemas"];
export type Event = Schemas["Event"];
/**
 * an event without its id and its time, which the sender adds
 */
export type NewEvent = Event extends infer One ? One extends Event ? Omit<One, "id" | "occurred_at"> & {
    id?: string;
    occurred_at?: string;
} : never : never;
import { Background } from "./work.js";
