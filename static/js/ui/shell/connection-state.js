// Whether what is shown is current, and why not: the session, the network, the socket, the server.

const CHECK_MS = 30_000;
// A window that is taken over by another process of the server is not called lost for this time.
const MOVE_MS = 2000;
// After this time without a connection the page offers to load itself anew.
const LONG_MS = 60_000;
const FRESH_MS = 1000; // what was heard this long ago is no sign of the time before a sleep
const QUICK_MS = 3000; // a first connection that takes no longer is not called lost

export class ConnectionState {
  ended = null; // "session" or "protocol": nothing works until the page is loaded again
  online = navigator.onLine;
  wasConnected = false;
  isLeaving = false; // the page is loaded anew, at the admin's own wish
  movesUntil = 0;
  lateSince = null; // since when (ms) the order may be late, or null
  readOnly = false; // whether nothing can be stored
  failing = []; // sources whose chatbots cannot be reached: {source, since}

  /** @param {ConnectionStateParts} parts */
  constructor({
    connection, api, lists, thread, presence, unsent, alerts, painter, announce, language, now,
    clear, toasts,
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
    this.toasts = toasts;
    setInterval(() => this.#check(), CHECK_MS);
    paintLater(painter);
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
    paintLater(this.painter);
    if (this.isMoving) return;
    this.announce(this.language.t("announce.disconnected"));
    this.painter.askAll();
  }

  get isMoving() { return this.now() < this.movesUntil; }

  get hasLine() { return this.online && this.connection.connected; }

  get isLost() { return !this.online || (this.wasConnected && !this.connection.connected); }

  // For how many ms there has been no connection, where that is worth a word; else 0.
  get downMs() {
    const { connected, downSince, state } = this.connection;
    if (connected || downSince === null || this.isMoving) return 0;
    const ms = Math.max(1, this.now() - downSince);
    return this.wasConnected || state === "waiting" || ms > QUICK_MS ? ms : 0;
  }

  get isDownLong() { return this.downMs >= LONG_MS; }

  // Loads the page anew where the server answers; else the browser would have no page to show.
  async reload() {
    const isAway = await this.api.me().then(() => false, ({ status }) => !status);
    if (isAway) {
      this.connection.tryNow();
      this.toasts.show(this.language.t("error.network"));
      return;
    }
    this.isLeaving = true;
    location.reload();
  }

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
    const { connected, heardAt } = this.connection;
    if (!connected || this.now() - heardAt > FRESH_MS) this.connection.renew();
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

  /** @param {"session" | "protocol"} why @param {string | null} reason why the session has ended */
  end(why, reason = null) {
    if (this.ended) return;
    this.ended = why;
    this.connection.stop();
    this.lists.disconnected();
    this.thread.disconnected();
    if (why === "session") this.clear(reason);
    this.painter.askAll();
  }

  // `order:status`: whether lists come from SQL because Redis is away, and whether SQL takes writes.
  setOrderStatus({ late, since, read_only = false }) {
    this.lateSince = late ? since ?? this.now() : null;
    if (!late) this.lists.sync.orderIsBack();
    if (this.readOnly && !read_only) this.unsent.part?.outbox.retryWaiting();
    this.readOnly = read_only;
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

// What a connection that takes long adds to the page is painted in time.
function paintLater(painter) {
  for (const ms of [QUICK_MS, LONG_MS]) setTimeout(() => painter.ask("banner", "nav"), ms + 1);
}
