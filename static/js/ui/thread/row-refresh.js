// Keeps the row of the open thread current if it is not on the list shown: no frame brings it.

import { rowsChangeIn } from "../../core/time.js";

const ASK_MS = 2000;
const ASK_AGAIN_MS = 5000;

export class RowRefresh {
  #seen = null; // the row of the open thread at the last look
  #until = Infinity; // when a text of it changes by time alone
  #askedAt = -Infinity;

  /** @param {RowRefreshParts} parts */
  constructor({ thread, lists, rows, api, now, painter, isEnded }) {
    this.thread = thread;
    this.lists = lists;
    this.rows = rows;
    this.api = api;
    this.now = now;
    this.painter = painter;
    this.isEnded = isEnded;
    setInterval(() => this.ask(), ASK_AGAIN_MS);
  }

  async ask() {
    const { id } = this.thread;
    const current = id === null || this.lists.sync.order?.has(id);
    if (current || document.hidden || this.isEnded() || this.now() - this.#askedAt < ASK_MS) return;
    this.#askedAt = this.now();
    const answer = await this.api.rows([id]).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.rows.put(row);
    this.look();
  }

  // Repaints what shows the row if it changed, or what it says of times. The list looks at each of its
  // paintings, of which there is one whenever that changes.
  look() {
    const row = this.thread.row ?? null;
    const now = this.now();
    if (row === this.#seen && now < this.#until) return;
    this.#seen = row;
    this.#until = row ? now + rowsChangeIn([row], now) : Infinity;
    this.painter.ask("thread", "customer");
  }
}
