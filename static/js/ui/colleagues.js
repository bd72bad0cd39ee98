// Tells what others did to the open thread.

import { doneTo } from "../core/notice.js";

const OWN_MS = 4000; // what changes this soon after one's own act is taken for its doing
const ASK_MS = 2000;
const ASK_AGAIN_MS = 5000;

export class Colleagues {
  #was = null; // the row of the open thread as it was last seen
  #actedAt = -Infinity;
  #askedAt = -Infinity;

  constructor(desk) {
    this.desk = desk;
    setInterval(() => this.ask(), ASK_AGAIN_MS);
  }

  acted() { this.#actedAt = this.desk.now(); }

  // No frame tells of a thread that is not on the list shown: its row is asked for.
  async ask() {
    const { threadId, sync, now, api, rows } = this.desk;
    const told = threadId === null || sync.order?.has(threadId);
    if (told || document.hidden || this.desk.ended || now() - this.#askedAt < ASK_MS) return;
    this.#askedAt = now();
    const answer = await api.rows([threadId]).catch(() => ({ rows: [] }));
    for (const row of answer.rows) rows.put(row);
    this.look();
  }

  look() {
    const { row, admin, t, toasts, notice, now } = this.desk;
    const was = this.#was;
    this.#was = row ?? null;
    if (was !== this.#was) this.desk.ask("thread", "customer");
    if (!was || !row || was.id !== row.id || was.rev >= row.rev) return;
    if (notice.quiet || now() - this.#actedAt < OWN_MS) return;
    for (const name of doneTo(was, row, admin.id)) {
      toasts.show(t(name, {
        name: row.assignee?.name ?? "", priority: t(`priority.${row.priority}`),
      }));
    }
  }
}
