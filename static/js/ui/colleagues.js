// Tells what others did to the open thread, and keeps its row true.

const ASK_MS = 2000;
const ASK_AGAIN_MS = 5000;

export class Colleagues {
  #was = null; // the row of the open thread as it was last seen
  #askedAt = -Infinity;

  constructor(desk) {
    this.desk = desk;
    setInterval(() => this.ask(), ASK_AGAIN_MS);
  }

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
    const { row } = this.desk;
    if ((row ?? null) !== this.#was) this.desk.ask("thread", "customer");
    this.#was = row ?? null;
  }

  // by: {id, name}, or null where the chatbot did it.
  did({ thread_id: id, type, by, priority }) {
    const { threadId, admin, t, toasts, notice } = this.desk;
    if (id !== threadId || by?.id === admin.id || notice.quiet) return;
    toasts.show(t(`did.${type}`, {
      name: by ? t("did.by", by) : t("did.bot"), priority: priority ? t(`priority.${priority}`) : "",
    }));
  }
}
