export class Journal {
    /** Opens the journal of a file; "" keeps everything in memory. @param {string} path @returns {Journal} */
    static open(path: string): Journal;
    /** @param {string} path */
    constructor(path: string);
    /** @type {Map<string, Event>} the events to be posted, by their ids, in their order */
    waiting: Map<string, Event>;
    /** @type {Map<string, number>} what was handed over: names and times, as the receiver knows events by them */
    seqs: Map<string, number>;
    cursor: string;
    /** the latest time of an event */
    lastMs: number;
    path: string;
    /** Stores an entry; it is on the disk when this returns, and nothing of it if this throws. @param {Entry} entry */
    add(entry: Entry): void;
    /** Closes the file when all who have opened the journal have closed it. */
    close(): void;
    #private;
}
export type Event = import("../src/schema.js").components["schemas"]["Event"];
export type Entry = {
    event: Event;
} | {
    done: string[];
} | {
    seq: [string, number];
} | {
    cursor: string;
};
