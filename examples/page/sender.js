// Sends the customer's messages one after the other, each until the chatbot has it. Unsent messages are
// kept in the browser, each under a key of its own: tabs do not overwrite those of others. Ids make it safe to
// send a message again, also from another tab.

const AGAIN_MS = 2000;
const AT_DIGITS = 16;

export class Sender {
  #isSending = false;
  #again;

  // post(message): rejects with {status} if the chatbot did not take it; changed(): the unsent messages changed.
  // name: with it the keys of the unsent messages begin.
  constructor({
    post, changed, name = "unsent", storage = localStorage, timers = globalThis,
    newId = () => crypto.randomUUID(), now = () => Date.now(),
  }) {
    Object.assign(this, { post, changed, name, storage, timers, newId, now });
  }

  // Oldest first: [{id, body}]
  get unsent() { return this.#keys.map((key) => JSON.parse(this.storage.getItem(key))); }

  get #keys() {
    const all = Array.from({ length: this.storage.length }, (_, at) => this.storage.key(at));
    return all.filter((key) => key.startsWith(`${this.name}/`)).sort();
  }

  say(body) {
    // After what other tabs have written, also if the clock went back.
    const newest = Number(this.#keys.at(-1)?.slice(this.name.length + 1).split("/")[0] ?? 0);
    const at = Math.max(this.now(), newest + 1);
    const id = this.newId();
    this.storage.setItem(`${this.name}/${String(at).padStart(AT_DIGITS, "0")}/${id}`, JSON.stringify({ id, body }));
    this.changed();
    return this.send();
  }

  async send() {
    if (this.#isSending) return;
    this.#isSending = true;
    let isTaken = true;
    for (let [key] = this.#keys; key && isTaken; [key] = this.#keys) {
      // 400: it will never be taken.
      const message = JSON.parse(this.storage.getItem(key));
      isTaken = await this.post(message).then(() => true, ({ status }) => status === 400);
      if (!isTaken) break;
      this.storage.removeItem(key);
      this.changed();
    }
    this.#isSending = false;
    this.timers.clearTimeout(this.#again);
    if (!isTaken) this.#again = this.timers.setTimeout(() => this.send(), AGAIN_MS);
  }
}
