// What a screen reader is told of the open thread: messages that came, and how far replies are.

const GATHER_MS = 400; // what comes together is told together
const TEXT_MAX = 200; // characters of a message

export class Arrivals {
  #came = [];
  #said = "";
  #timer = null;

  // tell({messages, state}): messages that came, and the last state of a reply or "".
  /** @param {{tell: (told: {messages: Message[], state: string}) => void, adminId: number, timers?: Timers}} parts */
  constructor({ tell, adminId, timers = globalThis }) {
    this.tell = tell;
    this.adminId = adminId;
    this.timers = timers;
  }

  /** @param {Message} message */
  came(message) {
    const own = message.role === "admin" && message.author?.id === this.adminId;
    if (own) this.#said = message.private ? "noted" : "sent";
    else this.#came.push(message);
    this.#later();
  }

  // A reply of this admin came further on its way.
  /** @param {{author: {id: number} | null}} message @param {{state: string, to: string}} delivery */
  delivered({ author }, { state, to }) {
    if (author?.id !== this.adminId || state === "queued") return;
    this.#said = `${state}.${to}`;
    this.#later();
  }

  // Another thread was opened.
  forget() {
    this.timers.clearTimeout(this.#timer);
    this.#timer = null;
    this.#came = [];
    this.#said = "";
  }

  #later() {
    this.#timer ??= this.timers.setTimeout(() => {
      const told = { messages: this.#came, state: this.#said };
      this.forget();
      this.tell(told);
    }, GATHER_MS);
  }
}

// The sentence for what came; who(message) names the author.
/** @param {{messages: Message[], state: string}} told @param {Translate} t */
export function arrivalText({ messages, state }, t, who) {
  const said = [];
  const last = messages.at(-1);
  if (last) {
    const characters = [...last.body.replace(/\s+/g, " ")];
    const cut = characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX).join("")}…` : "";
    const text = cut || characters.join("") || t("row.attachment");
    const { length: count } = messages;
    said.push(count > 1 ? t("arrived.messages", { count, name: who(last), text })
      : t("arrived.message", { name: who(last), text }));
  }
  if (state === "sent") said.push(t("arrived.sent"));
  else if (state === "noted") said.push(t("arrived.noted"));
  else if (state) said.push(t(`delivery.${state}`));
  return said.join(" ");
}
