// Tells what others did to the open thread.

import { doneTo } from "../core/notice.js";

const OWN_MS = 4000; // what changes this soon after one's own act is taken for its doing

export class Colleagues {
  #was = null; // the row of the open thread as it was last seen
  #actedAt = -Infinity;

  constructor(desk) {
    this.desk = desk;
  }

  acted() { this.#actedAt = this.desk.now(); }

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
