// Whether the shown data are current, and why not: the session, the network, the socket, the server.

import { PageModule } from "../elements/page-module.js";

const CHECK_MS = 30_000;
// While another process of the server takes this window over, it does not count as lost for this time.
const MOVE_MS = 2000;
// After this time without a connection the page offers to reload itself.
const LONG_MS = 60_000;
const FRESH_MS = 1000; // data heard longer ago are no sign of life after a sleep
const QUICK_MS = 3000; // a first connection that is quicker does not count as lost

export class ConnectionState extends PageModule {
  ended = null; // "session" or "protocol": nothing works until the page is loaded again
  online = navigator.onLine;
  wasConnected = false;
  isLeaving = false; // whether the admin chose to reload the page
  movesUntil = 0;
  lateSince = null; // since when (ms) the order may be late, or null
  readOnly = false; // whether nothing can be stored
  failing = []; // sources whose chatbots cannot be reached: {source, since}

  /** @param {Page & { clear: (reason: string | null) => void }} page */
  constructor({ clear, ...page }) {
    super(page);
    this.clear = clear; // removes everything from the page
    setInterval(() => this.#check(), CHECK_MS);
    paintLater(this.ui.painter);
  }

  connected() {
    const again = this.wasConnected && !this.isMoving;
    this.wasConnected = true;
    this.online = true; // a connection proves it, whatever the browser says
    this.movesUntil = 0;
    this.data.lists.connected();
    this.data.presence.connected();
    this.data.thread.connected();
    this.ui.alerts.connected();
    this.acts.unsent.part?.outbox.retryWaiting();
    if (again) this.ui.announce(this.ui.language.t("announce.connected"));
    this.ui.painter.askAll();
  }

  disconnected() {
    this.ui.alerts.forget();
    this.data.lists.disconnected();
    this.data.presence.disconnected();
    this.data.thread.disconnected();
    paintLater(this.ui.painter);
    if (this.isMoving) return;
    this.ui.announce(this.ui.language.t("announce.disconnected"));
    this.ui.painter.askAll();
  }

  get isMoving() { return this.net.now() < this.movesUntil; }

  get hasLine() { return this.online && this.net.connection.connected; }

  get isLost() { return !this.online || (this.wasConnected && !this.net.connection.connected); }

  // For how many ms there has been no connection, if it is worth telling; else 0.
  get downMs() {
    const { connected, downSince, state } = this.net.connection;
    if (connected || downSince === null || this.isMoving) return 0;
    const ms = Math.max(1, this.net.now() - downSince);
    return this.wasConnected || state === "waiting" || ms > QUICK_MS ? ms : 0;
  }

  get isDownLong() { return this.downMs >= LONG_MS; }

  // Reloads the page if the server answers; else the browser would have no page to show.
  async reload() {
    const isAway = await this.net.api.me().then(() => false, ({ status }) => !status);
    if (isAway) {
      this.net.connection.tryNow();
      this.ui.toasts.show(this.ui.language.t("error.network"));
      return;
    }
    this.isLeaving = true;
    location.reload();
  }

  heard() {
    if (this.ended) return;
    this.acts.unsent.part?.outbox.retryWaiting();
    if (this.data.thread.state === "failed") this.data.thread.retry();
  }

  // The window has the focus again, or the network is back.
  resumed() {
    if (this.ended === "session") this.#resume();
    if (this.ended) return;
    this.net.connection.tryNow();
    this.heard();
    this.ui.painter.askAll();
  }

  // After a sleep the socket is probably dead, and its timeout would take longer than a new one.
  slept() {
    if (this.ended) return;
    const { connected, heardAt } = this.net.connection;
    if (!connected || this.net.now() - heardAt > FRESH_MS) this.net.connection.renew();
    this.ui.painter.askAll();
  }

  // The server's process is ending, and another one takes this window over. Each window is told at another
  // moment, so it need not wait.
  moved() {
    if (this.ended) return;
    this.movesUntil = this.net.now() + MOVE_MS;
    this.net.connection.renew();
  }

  /** @param {boolean} online */
  setOnline(online) {
    this.online = online;
    if (online) this.heard();
    this.ui.painter.ask("banner", "nav", "header", "messages");
  }

  // The handshake failed. Browsers do not tell why, but the answer to an ordinary request does.
  async refused(error) {
    if (this.isMoving) this.ui.announce(this.ui.language.t("announce.disconnected"));
    this.movesUntil = 0;
    if (error.data?.code === "protocol_mismatch") this.end("protocol");
    else if (!this.ended) await this.net.api.me().catch(() => {});
    this.ui.painter.ask("banner", "nav", "header");
  }

  /** @param {"session" | "protocol"} why @param {string | null} reason why the session has ended */
  end(why, reason = null) {
    if (this.ended) return;
    this.ended = why;
    this.net.connection.stop();
    this.data.lists.disconnected();
    this.data.thread.disconnected();
    if (why === "session") this.clear(reason);
    this.ui.painter.askAll();
  }

  // Takes `order:status`: whether lists come from SQL because Redis is away, and whether SQL takes writes.
  setOrderStatus({ late, since, read_only = false }) {
    this.lateSince = late ? since ?? this.net.now() : null;
    if (!late) this.data.lists.sync.orderIsBack();
    if (this.readOnly && !read_only) this.acts.unsent.part?.outbox.retryWaiting();
    this.readOnly = read_only;
    this.ui.painter.ask("banner");
  }

  /** @param {{source: string, since: number}[]} sources */
  setFailing(sources) {
    this.failing = sources;
    this.ui.painter.ask("banner");
  }

  // The admin may have signed in again in another tab.
  async #resume() {
    if (await this.net.api.me().catch(() => null)) location.reload();
  }

  // After a long silence one `list:sync` finds out whether frames were lost.
  #check() {
    const { sync } = this.data.lists;
    const { syncedAt } = sync;
    // If there are too many lists of queries, a further one is read from SQL and gets no frames.
    if (this.lateSince === null) sync.orderIsBack();
    if (syncedAt !== null && this.net.now() - syncedAt >= CHECK_MS - 1000) sync.check();
    this.ui.painter.ask("nav", "banner");
  }
}

// Repaints at the times at which a slow connection changes the page.
function paintLater(painter) {
  for (const ms of [QUICK_MS, LONG_MS]) setTimeout(() => painter.ask("banner", "nav"), ms + 1);
}
