// The Socket.IO connection: calls with an answer, events, reconnecting without end.

import { io } from "socket.io-client";

import { delayMs } from "../core/backoff.js";

const ANSWER_MS = 8000;
// The first try after a loss comes within this time. Not sooner: after a restart of the server all
// windows come back.
const FIRST_MS = 4000;

export class CallError extends Error {
  // problem: null if no answer came.
  constructor(problem) {
    super(problem?.detail ?? "no answer");
    this.problem = problem;
    this.code = problem?.code ?? null;
  }
}

export class Connection {
  state = "connecting"; // connecting, connected, waiting, stopped
  nextTryAt = null;
  heardAt = 0; // when anything came from the server
  #attempt = 0;
  #timer = null;

  // protocol: the version that the server wrote into the page; device: the id of this browser.
  // type: the kind of device, where the page knows better than the browser's name of itself.
  /** @param {ConnectionParts} parts */
  constructor({ on, protocol, now = Date.now, device = null, type = null }) {
    this.on = on;
    this.now = now;
    this.socket = io("/admin", {
      path: "/socket.io",
      transports: ["websocket"],
      reconnection: false, // start() and renew() also act on sleep, focus and the network
      autoConnect: false,
      auth: { protocol, ...(device && { device }), ...(type && { type }) },
    });
    this.socket.on("connect", () => this.#connected());
    this.socket.on("disconnect", () => this.#lost());
    this.socket.on("connect_error", (error) => {
      this.on.refused(error);
      this.#lost();
    });
    this.socket.onAny((name, data, acknowledge) => {
      this.#heard();
      this.on.event(name, data, acknowledge);
    });
    this.socket.io.on("ping", () => this.#heard());
  }

  get connected() { return this.state === "connected"; }

  start() {
    this.state = "connecting";
    this.#clear();
    this.socket.connect();
  }

  // Disconnects and does not reconnect, as when the session has ended.
  stop() {
    this.state = "stopped";
    this.#clear();
    this.socket.disconnect();
  }

  // Reconnects now instead of at the next try.
  tryNow() {
    if (this.state === "waiting") this.start();
  }

  // Replaces a connection that may be dead though it looks connected.
  renew() {
    if (this.state === "stopped") return;
    this.socket.disconnect();
    this.#attempt = 0; // the disconnect was no failure
    if (this.state !== "connecting") this.start();
  }

  // Sends an event that needs no answer.
  /** @param {string} name */
  tell(name, data) {
    if (this.connected) this.socket.emit(name, data);
  }

  // The page is closing: disconnects at once, so that the server need not wait for a timeout.
  leave() { this.socket.disconnect(); }

  // Resolves to the answer; throws CallError.
  /** @param {string} name */
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
    this.#heard();
    if (!answer?.ok) throw new CallError(answer?.problem ?? null);
    return answer;
  }

  #connected() {
    this.state = "connected";
    this.#attempt = 0;
    this.#heard();
    this.#clear();
    this.on.connected();
  }

  #lost() {
    if (this.state === "stopped" || this.state === "waiting") return;
    const wasConnected = this.state === "connected";
    this.state = "waiting";
    const ms = delayMs(this.#attempt, { firstMs: FIRST_MS });
    this.#attempt += 1;
    this.nextTryAt = this.now() + ms;
    this.#timer = setTimeout(() => this.start(), ms);
    if (wasConnected) this.on.disconnected();
  }

  #heard() { this.heardAt = this.now(); }

  #clear() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.nextTryAt = null;
  }
}
