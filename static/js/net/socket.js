// The Socket.IO connection: calls with an answer, events, endless reconnecting.

import { io } from "socket.io-client";

import { delayMs } from "../core/time.js";

const ANSWER_MS = 8000;
// The first try after a loss comes at a random moment within this time, because after a restart of the
// server all windows return.
const FIRST_MS = 4000;
const ATTEMPT_MS = 10_000; // an attempt without an answer ends, and the next one waits for its turn
// A new attempt does not replace a younger one than this: wakes come in bursts.
const YOUNG_MS = 2000;

class CallError extends Error {
  // problem: null if no answer came.
  constructor(problem) {
    super(problem?.detail ?? "no answer");
    this.problem = problem;
    this.code = problem?.code ?? null;
  }
}

export class Connection {
  // Except in "connected" and "stopped" a timer runs: until the next attempt, or the end of this one.
  state = "connecting"; // connecting, connected, waiting, stopped
  nextTryAt = null;
  downSince = null; // since when there is no connection
  heardAt = 0; // when anything last came from the server
  #failures = 0;
  #triedAt = 0;
  #timer = null;

  // protocol: the version that the server wrote into the page; device: the id of this browser;
  // type: the kind of device, if the page knows better than the User-Agent; report(): of the window.
  /** @param {ConnectionOptions} options */
  constructor({
    on, protocol, now = Date.now, device = null, type = null, report = null, transports = ["websocket"],
  }) {
    this.on = on;
    this.now = now;
    this.socket = io("/admin", {
      path: "/socket.io",
      transports,
      reconnection: false, // start() and renew() also act on sleep, focus and the network
      autoConnect: false,
      auth: (give) => give({ protocol, device, type, ...report?.() }),
    });
    this.socket.on("connect", () => this.#connected());
    this.socket.on("disconnect", () => this.#lost());
    this.socket.on("connect_error", (error) => this.#failed(error));
    this.socket.onAny((name, data, acknowledge) => {
      this.#heard();
      this.on.event(name, data, acknowledge);
    });
    this.socket.io.on("ping", () => this.#heard());
  }

  get connected() { return this.state === "connected"; }

  start() {
    this.#clear();
    this.state = "connecting";
    this.#triedAt = this.now();
    this.downSince ??= this.now();
    this.#timer = setTimeout(() => this.#failed(new Error("no answer")), ATTEMPT_MS);
    this.socket.connect();
  }

  // Disconnects without reconnecting, such as after the end of the session.
  stop() {
    this.state = "stopped";
    this.#clear();
    this.socket.disconnect();
  }

  // Reconnects now, without waiting for the next try.
  tryNow() {
    if (!this.connected) this.renew();
  }

  // Replaces a connection or an attempt that may be dead although it looks alive.
  renew() {
    if (this.state === "stopped") return;
    if (this.state === "connecting" && this.now() - this.#triedAt < YOUNG_MS) return;
    this.leave();
    this.#failures = 0; // this disconnect is no failure
    this.start();
  }

  // Sends an event that needs no answer.
  /** @param {string} name */
  tell(name, data) {
    if (this.connected) this.socket.emit(name, data);
  }

  // The page is closing: disconnects at once, so that the server need not wait for a timeout. If the page
  // is shown again, it reconnects.
  leave() {
    this.socket.disconnect();
    this.#lost();
  }

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
    this.downSince = null;
    this.#failures = 0;
    this.#heard();
    this.#clear();
    this.on.connected();
  }

  #failed(error) {
    this.leave();
    this.on.refused(error);
  }

  #lost() {
    if (this.state === "stopped" || this.state === "waiting") return;
    const wasConnected = this.state === "connected";
    this.#clear();
    this.state = "waiting";
    this.downSince ??= this.now();
    const ms = delayMs(this.#failures, { firstMs: FIRST_MS });
    this.#failures += 1;
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
