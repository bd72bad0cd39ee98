// A chat with the team, on any page, by one tag:
//
//   <script type="module" async src="https://chat.shop.example/chat.js" data-visitor="/visitor"></script>
//
// data-visitor: the address at which the page's own server answers the signed name of its visitor.
// The page needs nothing of it: without the gateway there is no button, and everything else works.

import { PresenceClient } from "./presence-client.js";
import { Sender } from "./sender.js";
import { ChatWindow } from "./window.js";

const GATEWAY = new URL(".", import.meta.url);
const VISITOR = document.querySelector("script[data-visitor]").dataset.visitor;
const TYPING_MS = 3000;
const TYPING_SHOWN_MS = 6000;
const AGAIN_MS = [1000, 30_000];
const TOKEN_SPARE_MS = 60_000;
// Longer than the server's pause between two lines.
const SILENCE_MS = 25_000;
const PENDING_MS = 3000;

const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const newId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
const device = newId();

// The calls of the gateway, in the name of the visitor.
class Gateway {
  #token = null;
  #ends = 0;

  async call(path, body, more = {}) {
    const answer = await this.#called(path, body, more);
    if (answer.status !== 401) return checked(answer);
    this.#token = null;
    return checked(await this.#called(path, body, more));
  }

  async #called(path, body, more) {
    const headers = { Authorization: `Bearer ${await this.#signed()}` };
    const given = body && { method: "POST", body: JSON.stringify(body) };
    return fetch(new URL(path, GATEWAY), { ...given, ...more, headers });
  }

  async #signed() {
    if (!this.#token || Date.now() > this.#ends - TOKEN_SPARE_MS) {
      this.#token = await (await checked(await fetch(VISITOR))).text();
      this.#ends = this.#claims.exp * 1000;
    }
    return this.#token;
  }

  async visitor() {
    await this.#signed();
    return this.#claims.sub;
  }

  get #claims() {
    return JSON.parse(atob(this.#token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
  }
}

function checked(answer) {
  if (answer.ok) return answer;
  throw Object.assign(new Error(`${answer.url}: ${answer.status}`), { status: answer.status });
}

// What was said, what is on its way, and who is there. The window paints it after each change.
class Chat {
  #gateway = new Gateway();
  #key = "";
  #window;
  #messages = new Map(); // by Lineup's id
  #pending = [];
  #accepted = new Map(); // what this page gave to the gateway
  #isReading = false;
  #isStale = false;
  #typedAt = 0;
  #typing = 0; // the timer of what is shown
  #later = 0; // the timer of the next look at what is pending
  #stream = null;
  more = false;
  team = null;
  place = null;
  isTyping = false;
  isOnline = true;

  async begin() {
    this.#key = `lineup-chat:${await this.#gateway.visitor()}`;
    this.sender = new Sender({
      name: `${this.#key}:unsent`, newId,
      post: (message) => this.#post(message), changed: () => this.#changed(),
    });
    this.presence = new PresenceClient({
      beat: ({ active }) => this.#gateway.call("beat", { device, active }),
      leave: () => this.#gateway.call("leave", { device }, { keepalive: true }).catch(() => {}),
    });
    this.#window = new ChatWindow(this);
    addEventListener("storage", ({ key }) => { if (key?.startsWith(this.#key)) this.#changed(); });
    addEventListener("pagehide", () => this.#sleep());
    addEventListener("pageshow", ({ persisted }) => { if (persisted && this.#hasWritten) this.wake(); });
    addEventListener("online", () => this.sender.send());
    document.addEventListener("visibilitychange", () => this.#changed());
    if (this.#hasWritten) this.wake();
    this.#changed();
    this.sender.send();
  }

  // A visitor who has never written costs the gateway nothing until the window is opened.
  get #hasWritten() { return localStorage.getItem(`${this.#key}:written`) !== null; }

  wake() {
    if (this.#stream) return;
    this.#stream = new AbortController();
    this.presence.connect();
    this.#listen(this.#stream);
  }

  #sleep() {
    this.presence.disconnect();
    this.#stream?.abort();
    this.#stream = null;
  }

  say(body) {
    localStorage.setItem(`${this.#key}:written`, "1");
    this.sender.say(body);
  }

  typed() {
    if (!this.#messages.size || Date.now() - this.#typedAt < TYPING_MS) return;
    this.#typedAt = Date.now();
    this.#gateway.call("typing", {}).catch(() => {});
  }

  // Oldest first: what Lineup has, what the gateway has, and what only this browser has.
  get rows() {
    const shown = [...this.#messages.values()].filter(({ role }) => role !== "system");
    const stored = shown.sort((one, other) => one.id - other.id);
    const known = new Set(stored.map(({ event }) => event));
    const others = (messages, state) => messages.flatMap((message) => {
      if (known.has(message.id)) return [];
      known.add(message.id);
      return [{ ...message, key: message.id, role: "client", state }];
    });
    return [
      ...stored.map((message) => ({ ...message, key: message.event || message.id, state: "" })),
      ...others(this.#pending, ""), ...others([...this.#accepted.values()], ""),
      ...others(this.sender.unsent, this.isOnline ? "sending" : "unsent"),
    ];
  }

  get unread() {
    const read = Number(localStorage.getItem(`${this.#key}:read`));
    return this.#ofTeam.filter((id) => id > read).length;
  }

  get #ofTeam() {
    return [...this.#messages.values()].filter(({ role }) => role === "admin").map(({ id }) => id);
  }

  // The newest message of the team is before the visitor's eyes.
  seen() {
    const newest = Math.max(0, ...this.#ofTeam);
    if (newest <= Number(localStorage.getItem(`${this.#key}:read`))) return;
    localStorage.setItem(`${this.#key}:read`, newest);
    this.#gateway.call("read", { message: newest }).catch(() => {});
  }

  async earlier() {
    const before = Math.min(...this.#messages.keys());
    await this.#read(before).catch(() => {});
    this.#changed();
  }

  async #post(message) {
    try {
      await this.#gateway.call("messages", message);
    } catch (error) {
      this.#connected(error.status === 429);
      throw error;
    }
    this.#connected(true);
    this.#accepted.set(message.id, message);
    this.wake();
  }

  #connected(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.#changed();
  }

  async #listen(stream) {
    let failures = 0;
    while (!stream.signal.aborted) {
      try {
        await this.#lines(stream.signal, () => { failures = 0; });
      } catch { /* the next try */ }
      if (stream.signal.aborted) return;
      this.#connected(false);
      const [first, most] = AGAIN_MS;
      await wait(Math.min(most, first * 2 ** failures) * (0.5 + Math.random() / 2));
      failures += 1;
    }
  }

  // Reads lines until the connection ends, or is silent for too long.
  async #lines(signal, connected) {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const answer = await this.#gateway.call("stream", null, { signal: either });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      connected();
      const lines = (text + part.value).split("\n");
      text = lines.pop();
      for (const line of lines) this.#hear(JSON.parse(line));
    }
    clearTimeout(timer);
  }

  #hear({ news, typing }) {
    if (news) this.#heard();
    if (!typing) return;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#isWriting(false), TYPING_SHOWN_MS);
    this.#isWriting(true);
  }

  #isWriting(is) {
    this.isTyping = is;
    this.#changed();
  }

  // Reads the newest part; what is said meanwhile is read after it.
  async #heard() {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    const [first, most] = AGAIN_MS;
    let failures = 0;
    while (this.#isStale && this.#stream) {
      this.#isStale = false;
      try {
        await this.#readNewest();
        failures = 0;
        this.#connected(true);
      } catch (error) {
        // Lineup or the gateway is away, or this was too fast.
        this.#isStale = true;
        this.#connected(error.status === 429);
        await wait(Math.min(most, first * 2 ** failures));
        failures += 1;
      }
    }
    this.#isReading = false;
  }

  async #readNewest() {
    const newest = Math.max(0, ...this.#messages.keys());
    const before = this.rows.length;
    let part = await this.#read();
    const { team, place, pending } = part;
    Object.assign(this, { team, place });
    this.#pending = pending;
    // The gateway does not tell when Lineup has them.
    clearTimeout(this.#later);
    if (pending.length) this.#later = setTimeout(() => this.#heard(), PENDING_MS);
    // Until it joins what is known.
    while (newest && part.more && part.messages[0].id > newest) part = await this.#read(part.messages[0].id);
    if (this.rows.length > before) this.isTyping = false;
    this.#changed();
  }

  async #read(before) {
    const part = await (await this.#gateway.call(`conversation${before ? `?before=${before}` : ""}`)).json();
    const oldest = Math.min(Infinity, ...this.#messages.keys());
    for (const message of part.messages) this.#messages.set(message.id, message);
    if (!(part.messages[0]?.id > oldest)) this.more = part.more;
    return part;
  }

  #changed() { this.#window?.paint(); }
}

await new Chat().begin();
