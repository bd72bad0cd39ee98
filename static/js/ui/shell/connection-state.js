// Whether what is shown is current, and why not: the session, the network, the socket, the server.

const CHECK_MS = 30_000;
// A window that is taken over by another process of the server is not called lost for this time.
const MOVE_MS = 2000;

export class ConnectionState {
  ended = null; // "session" or "protocol": nothing works until the page is loaded again
  online = navigator.onLine;
  wasConnected = false;
  movesUntil = 0;
  lateSince = null; // since when (ms) the order may be late, or null
  failing = []; // sources whose chatbots cannot be reached: {source, since}

  /** @param {ConnectionStateParts} parts */
  constructor({
    connection, api, lists, thread, presence, unsent, alerts, painter, announce, language, now,
    clear,
  }) {
    this.connection = connection;
    this.api = api;
    this.lists = lists;
    this.thread = thread;
    this.presence = presence;
    this.unsent = unsent;
    this.alerts = alerts;
    this.painter = painter;
    this.announce = announce;
    this.language = language;
    this.clear = clear; // removes everything from the page
    this.now = now;
    setInterval(() => this.#check(), CHECK_MS);
  }

  connected() {
    const again = this.wasConnected && !this.isMoving;
    this.wasConnected = true;
    this.online = true; // whatever the browser says
    this.movesUntil = 0;
    this.lists.connected();
    this.presence.connected();
    this.thread.connected();
    this.alerts.connected();
    this.unsent.part?.outbox.retryWaiting();
    if (again) this.announce(this.language.t("announce.connected"));
    this.painter.askAll();
  }

  disconnected() {
    this.alerts.forget();
    this.lists.disconnected();
    this.presence.disconnected();
    this.thread.disconnected();
    if (this.isMoving) return;
    this.announce(this.language.t("announce.disconnected"));
    this.painter.askAll();
  }

  get isMoving() { return this.now() < this.movesUntil; }

  get hasLine() { return this.online && this.connection.connected; }

  get isLost() { return !this.online || (this.wasConnected && !this.connection.connected); }

  heard() {
    if (this.ended) return;
    this.unsent.part?.outbox.retryWaiting();
    if (this.thread.state === "failed") this.thread.retry();
  }

  // The window got the focus again, or the network is back.
  resumed() {
    if (this.ended === "session") this.#resume();
    if (this.ended) return;
    this.connection.tryNow();
    this.heard();
    this.painter.askAll();
  }

  // After sleep the socket is most likely dead, and its timeout takes longer than a new one.
  slept() {
    if (this.ended) return;
    this.connection.renew();
    this.painter.askAll();
  }

  // The server's process ends: another one takes this window over. It is told to each window at
  // another moment, so that this need not wait.
  moved() {
    if (this.ended) return;
    this.movesUntil = this.now() + MOVE_MS;
    this.connection.renew();
  }

  /** @param {boolean} online */
  setOnline(online) {
    this.online = online;
    if (online) this.heard();
    this.painter.ask("banner", "nav", "header", "messages");
  }

  // The handshake failed. Browsers do not say why; the answer to an ordinary request does.
  async refused(error) {
    if (this.isMoving) this.announce(this.language.t("announce.disconnected"));
    this.movesUntil = 0;
    if (error.data?.code === "protocol_mismatch") this.end("protocol");
    else if (!this.ended) await this.api.me().catch(() => {});
    this.painter.ask("banner", "nav", "header");
  }

  /** @param {"session" | "protocol"} why */
  end(why) {
    if (this.ended) return;
    this.ended = why;
    this.connection.stop();
    this.lists.disconnected();
    this.thread.disconnected();
    if (why === "session") this.clear();
    this.painter.askAll();
  }

  // `order:status`: whether lists come from SQL because Redis is away.
  setOrderStatus({ late, since }) {
    this.lateSince = late ? since ?? this.now() : null;
    if (!late) this.lists.sync.orderIsBack();
    this.painter.ask("banner");
  }

  /** @param {{source: string, since: number}[]} sources */
  setFailing(sources) {
    this.failing = sources;
    this.painter.ask("banner");
  }

  // The admin may have signed in again in another tab.
  async #resume() {
    if (await this.api.me().catch(() => null)) location.reload();
  }

  // After a long silence one `list:sync` finds out whether frames were lost.
  #check() {
    const { sync } = this.lists;
    const { syncedAt } = sync;
    // Where there are too many lists of queries one more is read from SQL, and gets no frames.
    if (this.lateSince === null) sync.orderIsBack();
    if (syncedAt !== null && this.now() - syncedAt >= CHECK_MS - 1000) sync.check();
    this.painter.ask("nav", "banner");
  }
}
