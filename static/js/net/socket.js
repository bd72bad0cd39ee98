// The one connection: calls with an answer, events, and coming back for ever.

import { io } from "socket.io-client";

import { delayMs } from "../core/backoff.js";

export const PROTOCOL = 1;
const ANSWER_MS = 8000;

export class CallError extends Error {
  // problem: null where no answer came.
  constructor(problem) {
    super(problem?.detail ?? "no answer");
    this.problem = problem;
    this.code = problem?.code ?? null;
  }
}

// on: {connected(), disconnected(), refused(error), event(name, data, acknowledge)}
export class Connection {
  state = "connecting"; // connecting, connected, waiting, stopped
  nextTryAt = null;
  #attempt = 0;
  #timer = null;

  constructor({ on, now = Date.now, device = null }) {
    this.on = on;
    this.now = now;
    this.socket = io("/admin", {
      path: "/socket.io",
      transports: ["websocket"],
      reconnection: false, // ours knows about sleep, focus and the network coming back
      autoConnect: false,
      auth: { protocol: PROTOCOL, ...(device && { device }) },
    });
    this.socket.on("connect", () => this.#connected());
    this.socket.on("disconnect", () => this.#lost());
    this.socket.on("connect_error", (error) => {
      this.on.refused(error);
      this.#lost();
    });
    this.socket.onAny((name, data, acknowledge) => this.on.event(name, data, acknowledge));
  }

  get connected() { return this.state === "connected"; }

  start() {
    this.state = "connecting";
    this.#clear();
    this.socket.connect();
  }

  // For good, as after the session's end.
  stop() {
    this.state = "stopped";
    this.#clear();
    this.socket.disconnect();
  }

  // The network, the window or the machine came back: no waiting.
  tryNow() {
    if (this.state === "waiting") this.start();
  }

  // What looks connected may be dead: hang up and dial again.
  renew() {
    if (this.state === "stopped") return;
    this.#attempt = 0;
    this.socket.disconnect();
    if (this.state !== "connecting") this.start();
  }

  // Says something that needs no answer.
  tell(name, data) {
    if (this.connected) this.socket.emit(name, data);
  }

  // The page is closed: the server hears it, rather than missing us.
  leave() { this.socket.disconnect(); }

  // Resolves to the answer; throws CallError.
  async call(name, data) {
    if (!this.connected) throw new CallError(null);
    const { socket } = this;
    let answer;
    try {
      answer = await socket.timeout(ANSWER_MS).emitWithAck(name, data);
    } catch {
      if (this.connected) this.renew();
      throw new CallError(null);
    }
    if (!answer?.ok) throw new CallError(answer?.problem ?? null);
    return answer;
  }

  #connected() {
    this.state = "connected";
    this.#attempt = 0;
    this.#clear();
    this.on.connected();
  }

  #lost() {
    if (this.state === "stopped" || this.state === "waiting") return;
    const wasConnected = this.state === "connected";
    this.state = "waiting";
    const ms = delayMs(this.#attempt);
    this.#attempt += 1;
    this.nextTryAt = this.now() + ms;
    this.#timer = setTimeout(() => this.start(), ms);
    if (wasConnected) this.on.disconnected();
  }

  #clear() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.nextTryAt = null;
  }
}
