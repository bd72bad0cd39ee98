// A file of JSON lines with what must outlive the process: events to be posted, and how far events were read.

import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, realpathSync, renameSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const LINES_MAX = 10_000;
// Lineup keeps events for 30 days: those of so long before the newest cannot come again.
const KEPT_MS = 31 * 86_400_000;
// Lineup refuses later times.
const REFUSED_MS = Date.UTC(2101);

/** @typedef {import("./schema.js").components["schemas"]["Event"]} Event */
/** @typedef {{event: Event} | {done: string[]} | {seq: [string, number]} | {cursor: string}} Entry */

/** @type {Map<string, Journal>} the journals of this process by their files: sender and receiver share one */
const opened = new Map();

/** Returns the number of bytes of a text, when all of them are on the disk.
 * @param {number} file @param {string} text @param {number} position */
function written(file, text, position) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, position + at);
  fsyncSync(file);
  return bytes.length;
}

export class Journal {
  /** @type {Map<string, Event>} the events to be posted, by their ids, in their order */
  waiting = new Map();
  /** @type {Map<string, number>} what was handed over: names and times, as the receiver knows events by them */
  seqs = new Map();
  cursor = "";
  /** the latest time of an event */
  lastMs = 0;
  #users = 0;
  /** @type {number | null} */
  #file = null;
  #bytes = 0;
  #lines = 0;
  #linesMax = 0;

  /** Opens the journal of a file; "" keeps everything in memory. @param {string} path @returns {Journal} */
  static open(path) {
    // A file has one journal, however it is named.
    const real = !path ? "" : existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
    const journal = opened.get(real) ?? new Journal(real);
    if (real) opened.set(real, journal);
    journal.#users += 1;
    return journal;
  }

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    if (!path) return;
    // The last line may be a part of one, if the machine failed while it was written.
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    for (const line of lines.slice(0, -1)) this.#apply(JSON.parse(line));
    this.#rewrite();
  }

  /** Stores an entry; it is on the disk when this returns, and nothing of it if this throws. @param {Entry} entry */
  add(entry) {
    if (!this.#users) throw new Error("all who have opened the journal have stopped");
    if (this.#file !== null) this.#append(this.#file, `${JSON.stringify(entry)}\n`);
    this.#apply(entry);
    if (this.#lines <= this.#linesMax) return;
    try {
      this.#rewrite();
    } catch {
      // The entry is in the old file, which goes on.
      this.#linesMax *= 2;
    }
  }

  /** @param {number} file @param {string} line */
  #append(file, line) {
    try {
      this.#bytes += written(file, line, this.#bytes);
      this.#lines += 1;
    } catch (error) {
      ftruncateSync(file, this.#bytes);
      throw error;
    }
  }

  /** Closes the file when all who have opened the journal have closed it. */
  close() {
    this.#users -= 1;
    if (this.#users) return;
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    opened.delete(this.path);
  }

  /** @param {Entry} entry */
  #apply(entry) {
    if ("event" in entry) {
      this.waiting.set(entry.event.id, entry.event);
      const ms = Date.parse(entry.event.occurred_at);
      if (ms < REFUSED_MS) this.lastMs = Math.max(this.lastMs, ms);
    } else if ("done" in entry) for (const id of entry.done) this.waiting.delete(id);
    else if ("seq" in entry) this.seqs.set(...entry.seq);
    else this.cursor = entry.cursor;
  }

  // Writes what counts to a new file, which takes the place of the old one.
  #rewrite() {
    const since = [...this.seqs.values()].reduce((newest, ms) => Math.max(newest, ms), 0) - KEPT_MS;
    for (const [name, ms] of this.seqs) if (ms < since) this.seqs.delete(name);
    const entries = [
      ...[...this.waiting.values()].map((event) => ({ event })), ...[...this.seqs].map((seq) => ({ seq })),
      { cursor: this.cursor },
    ];
    const file = openSync(`${this.path}.new`, "w");
    let bytes;
    try {
      bytes = written(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), 0);
      renameSync(`${this.path}.new`, this.path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (this.#file !== null) closeSync(this.#file);
    this.#file = file;
    this.#bytes = bytes;
    this.#lines = entries.length;
    this.#linesMax = LINES_MAX + 2 * entries.length;
  }
}
