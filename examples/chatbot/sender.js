// Sends the customer's messages one after the other, each until the chatbot has it. Unsent messages are
// kept in the browser; ids make it safe to send a message again, also from another tab.

const AGAIN_MS = 2000;
const KEPT = "unsent";

export class Sender {
  #isSending = false;

  // post(message): rejects with {status} if the chatbot did not take it; changed(): the unsent messages changed.
  constructor({ post, changed, storage = localStorage, timers = globalThis, newId = () => crypto.randomUUID() }) {
    Object.assign(this, { post, changed, storage, timers, newId });
  }

  // Oldest first: [{id, body}]
  get unsent() { return JSON.parse(this.storage.getItem(KEPT) ?? "[]"); }

  say(body) {
    this.#keep([...this.unsent, { id: this.newId(), body }]);
    return this.send();
  }

  async send() {
    if (this.#isSending) return;
    this.#isSending = true;
    let isTaken = true;
    while (isTaken && this.unsent.length) {
      const [message] = this.unsent;
      // 400: it will never be taken.
      isTaken = await this.post(message).then(() => true, ({ status }) => status === 400);
      if (isTaken) this.#keep(this.unsent.filter(({ id }) => id !== message.id));
    }
    this.#isSending = false;
    if (!isTaken) this.timers.setTimeout(() => this.send(), AGAIN_MS);
  }

  #keep(unsent) {
    this.storage.setItem(KEPT, JSON.stringify(unsent));
    this.changed();
  }
}
