// Builds all parts of the dashboard, in four groups, and connects them; nothing imports this module.

import { storage, zones } from "./browser.js";
import { lazyFinder, lazyPanes } from "./app/lazy-panes.js";
import { addRegions } from "./app/regions.js";
import { countAgain, socketEvents } from "./app/socket-events.js";
import { startSorts, startViews, viewDragging, viewTeller } from "./app/views.js";
import { Keymap } from "./core/keymap.js";
import { Hold, Movement } from "./core/list/hold.js";
import { Lists, Neighbours, VisibleRows } from "./core/list/lists.js";
import { Fetcher, Rows } from "./core/list/rows.js";
import { PLACES } from "./core/places.js";
import { Prefs } from "./core/prefs.js";
import { Presence } from "./core/presence.js";
import { setFields } from "./core/query/fields.js";
import { listCall } from "./core/route.js";
import { ThreadMode } from "./core/thread/thread-mode.js";
import { OpenThread } from "./core/thread/thread.js";
import { chooseZone } from "./core/time.js";
import { Totals } from "./core/totals.js";
import { Api } from "./net/api.js";
import { deviceId, deviceType, Heartbeat, Liveness, watch } from "./net/heartbeat.js";
import { Http } from "./net/http.js";
import { Connection } from "./net/socket.js";
import { allowPictures } from "./ui/elements/avatar.js";
import { Dialog } from "./ui/elements/dialog.js";
import { followTranslation, Language } from "./ui/elements/language.js";
import { Lazy } from "./ui/elements/lazy.js";
import { Painter } from "./ui/elements/painter.js";
import { Toasts } from "./ui/elements/toasts.js";
import { Follow, RowRefresh } from "./ui/list/follow.js";
import { ListPane } from "./ui/list/list.js";
import { Picks } from "./ui/list/picks.js";
import { PresencePanels } from "./ui/presence/panels.js";
import { Alerts } from "./ui/shell/alerts.js";
import { ConnectionState } from "./ui/shell/connection-state.js";
import { Density, Layout, Splitter, Theme } from "./ui/shell/layout.js";
import { Navigation } from "./ui/shell/navigation.js";
import { listen, verbsOf } from "./ui/shell/verbs.js";

/** @returns {any} of the kind that templates/dashboard.html has there */
const at = (id) => document.getElementById(id);
const boot = JSON.parse(at("boot").textContent);
const { admin, limits } = boot;
const adminId = admin.id;
at("later-styles").media = "all"; // until here for paper: see templates/dashboard.html
followTranslation();
allowPictures(boot.picture_hosts);
setFields(boot.fields);
chooseZone(boot.preferences.timezone, ...zones());

// Each module gets the four groups, and reads a part from them when it needs it.
const page = /** @type {Page} */ ({ data: {}, net: {}, ui: {}, acts: {} });
const { data, net, ui, acts } = page;

const aheadMs = boot.server_now - Date.now();
const now = () => Date.now() + aheadMs;
const assets = JSON.parse(at("assets").textContent);
ui.language = new Language(assets.texts, assets.later);
await ui.language.begin(boot.preferences.locale);

// Painting, and messages to the admin.
const { language } = ui;
const painter = new Painter();
const announce = (text) => { at("announcer").textContent = text; };
Object.assign(ui, { painter, announce });
ui.toasts = new Toasts(() => painter.ask("toasts"));
ui.dialog = new Dialog({ element: at("dialog"), text: () => language.t });
const failed = () => ui.toasts.show(language.t("error.network"));

// The server.
const api = new Api(new Http({ signedOut: () => net.connectionState.end("session") }));
const connection = new Connection({
  on: socketEvents(page), protocol: boot.protocol, now, device: deviceId(storage()),
  type: deviceType(navigator), report: () => net.heartbeat.report,
});
const call = (name, given) => connection.call(name, given);
const tell = (name, given) => connection.tell(name, given);
Object.assign(net, { api, connection, call, tell, now });
net.heartbeat = new Heartbeat({
  tell, focused: (focused) => data.mode.focus(focused && !ui.settings.part?.shown), left: () => connection.leave(),
});
net.liveness = new Liveness({
  connection, now, ask: () => call("presence:pong", net.heartbeat.report),
  changed: () => {
    painter.ask("banner", "nav", "header");
    if (net.liveness.silentSince === null) net.connectionState.heard();
  },
});

// Data.
Object.assign(data, { admin, adminId, limits });
data.sortsByWait = boot.sorts_by_wait;
data.signedOutAt = boot.signed_out;
data.settingsPages = boot.settings;
data.choices = {
  viewQueries: boot.view_queries, views: PLACES.filter((name) => name in boot.view_queries),
  priorities: boot.fields.priority.words, get sorts() { return data.sorts.names; },
};
data.prefs = new Prefs({ kept: boot.preferences, send: (changes) => api.prefer(changes) });
addEventListener("pagehide", () => data.prefs.flush());
data.presence = new Presence({
  call, now, adminId, watchMax: limits.watched_ids,
  changed: () => painter.ask("presence", "list", "thread", "banner", "nav", "composer", "hand-over"),
});
data.mode = new ThreadMode({ tell, watched: (id) => data.presence.others(id).length > 0 });
const rows = new Rows();
const hold = new Hold();
const totals = new Totals({ counted: () => lists.counted });
Object.assign(data, { rows, hold, totals });
data.savedViews = startViews(page, boot);
data.sorts = startSorts(page, boot);
let counted; // the number of threads on the list when it last changed
const lists = new Lists({
  call, rows, limits, now, archived: (list, asked) => api.archive(list, asked),
  fetcher: new Fetcher({
    load: (ids) => api.rows(ids),
    batchMax: limits.row_ids,
    mark: () => rows.tick,
    take: (taken, asOf) => {
      for (const row of taken) rows.put(row, asOf);
      painter.ask("list", "thread");
    },
    now,
  }),
  mayMove: () => data.movement.mayMove(),
  changed: () => {
    painter.ask("list", "header", "banner");
    if (lists.counted?.total === counted) return;
    counted = lists.counted?.total;
    countAgain(page);
    ui.alerts.write();
  },
});
data.lists = lists;
data.movement = new Movement({ hold, lists, now, painter, announce, language });
const thread = new OpenThread({
  call, rows, adminId,
  part: (id, where, messageId) => api.messages(id, where, messageId),
  changed: () => painter.ask("messages", "thread", "composer", "list", "presence"),
  joined: (id, viewers) => {
    data.presence.viewers({ thread_id: id, viewers });
    data.mode.joined(id);
    ui.notifier.part?.look();
  },
  left: () => data.mode.left(),
});
data.thread = thread;
data.neighbours = new Neighbours({ lists, thread });
const visibleRows = new VisibleRows({ lists, thread, rows, presence: data.presence });

// Acts of several modules.
acts.open = (id, messageId = null) => acts.navigation.open(id, messageId);
acts.finder = lazyFinder(page, failed);
acts.finish = async () => (await acts.acting.get())?.actions.finish();
acts.write = async (kind) => (await ui.threadPane.get())?.composer.focus(kind);
acts.toTop = () => {
  (ui.past ?? ui.listPane).toTop();
  painter.ask("header");
};
acts.unsent = new Lazy({
  failed,
  load: async () => {
    const { openUnsent } = await import("./app/unsent.js");
    const unsent = await openUnsent({
      ...page, key: boot.storage_key,
      changed: () => {
        painter.ask("messages", "list", "nav", "dialog", "composer");
        ui.alerts.write();
      },
    });
    data.outbox = unsent.outbox;
    data.drafts = unsent.drafts;
    return unsent;
  },
});
acts.acting = new Lazy({
  failed, load: async () => (await import("./app/acting.js")).startActing(page),
});

// Panes, which are loaded at their first use.
Object.assign(ui, lazyPanes(page, failed));
ui.threadPane = new Lazy({
  failed: () => { if (thread.id !== null) failed(); },
  load: async () => {
    const [{ ThreadPane }] = await Promise.all([
      import("./ui/thread/pane.js"), acts.unsent.preload(), acts.acting.preload(),
    ]);
    if (!data.drafts || !acts.actions) throw new Error("a script is missing");
    return new ThreadPane({ ...page, at });
  },
});
ui.notifier = new Lazy({
  load: async () => {
    const { openNotifier } = await import("./app/notifier.js");
    return openNotifier({ ...page, icon: at("icon") });
  },
});
ui.bulk = new Lazy({
  failed,
  load: async () => {
    const [{ Bulk }] = await Promise.all([import("./ui/list/bulk.js"), acts.acting.preload()]);
    return new Bulk(page);
  },
});

ui.settings = new Lazy({
  failed,
  load: async () => {
    const [{ SettingsArea }] = await Promise.all([import("./settings/area.js"), language.add("settings")]);
    const deskAddress = () => acts.navigation.address;
    return new SettingsArea({ ...page, root: at("area"), names: data.settingsPages, deskAddress });
  },
});
ui.queues = new Lazy({
  load: async () => {
    const [{ Queues }] = await Promise.all([import("./ui/queues/queues.js"), language.add("queues")]);
    return new Queues(page);
  },
});
ui.advice = new Lazy({
  load: async () => {
    const [{ Advice }] = await Promise.all([import("./ui/advice/advice.js"), language.add("advice")]);
    return new Advice(page);
  },
});
acts.openSettings = async (name, search) => (await ui.settings.get())?.open(name, search);

// The list.
ui.picks = new Picks(page);
ui.follow = new Follow(page);
ui.density = new Density({ ...page, changed: (fromPx) => ui.listPane.resized(fromPx) });
ui.listPane = new ListPane({
  ...page, root: at("list"),
  shown: ({ seen, ids, end }) => {
    data.neighbours.look();
    ui.follow.look(seen);
    visibleRows.show(ids, end);
  },
});
ui.rowRefresh = new RowRefresh(page);
ui.viewDrag = viewDragging(page);
ui.viewTold = viewTeller(page);

// The frame.
ui.keymap = new Keymap(data.choices);
ui.keymap.lettersOn = data.prefs.kept.single_keys;
ui.theme = new Theme();
ui.layout = new Layout(page);
ui.alerts = new Alerts({ ...page, icon: at("icon") });
acts.navigation = new Navigation(page);
net.connectionState = new ConnectionState({
  ...page,
  clear: (reason) => {
    ui.threadPane.part?.composer.save();
    ui.alerts.end();
    painter.stop();
    if (acts.unsent.part) acts.unsent.part.showSessionEnd(language.t, reason);
    else location.replace("/login");
  },
});
ui.splitter = new Splitter({
  ...page, element: at("splitter"), panel: at("panel"), list: at("pane-list"),
});
ui.presencePanels = new PresencePanels(page);
ui.queueLine = new Lazy({
  load: async () => {
    const { QueueLine } = await import("./ui/thread/queue-now.js");
    return new QueueLine({ ...page, root: at("queue-line") });
  },
});

addRegions(page);
listen({ keymap: ui.keymap, now, verbs: verbsOf(page) });
const { connectionState } = net;
watch({ on: { slept: () => connectionState.slept(), back: () => connectionState.resumed() } });
addEventListener("popstate", (event) => {
  const go = () => followAddress({ deep: event.state?.ours !== true });
  if (!ui.settings.part?.popped(go)) go();
});
for (const name of ["online", "offline"]) {
  addEventListener(name, () => connectionState.setOnline(navigator.onLine));
}
window.lineup = testApi();
acts.navigation.goTo(location.hash, { deep: true });
if (isSettings()) followAddress();
if (boot.head) lists.begin(boot.head);
if (!boot.has_events) ui.firstSteps.open();
connection.start();

// Whether the address is that of a page of settings; else it is that of a list and a thread.
function isSettings() { return location.pathname !== "/"; }

async function followAddress({ deep = false } = {}) {
  if (isSettings() && await ui.settings.get()) return ui.settings.part.follow();
  ui.settings.part?.hide();
  delete at("app").dataset.area;
  return acts.navigation.goTo(location.hash, { deep });
}

// The parts of the page that tests and benches may read, as `window.lineup`.
function testApi() {
  const list = () => {
    const { sync, listing: { painted } } = lists;
    const { order } = sync;
    return {
      ...lists.list,
      ...listCall(lists.list),
      place: lists.list.view,
      state: sync.state,
      hold: hold.state(now()),
      epoch: order?.epoch ?? null,
      version: order?.version ?? 0,
      total: order?.total ?? 0,
      whole: order?.whole ?? false,
      ids: order ? Array.from(order.ids()) : [],
      scores: order ? Array.from(order.scores()) : [],
      painted: Array.from({ length: painted?.length ?? 0 }, (_, index) => painted.idAt(index))
        .filter((id) => id !== undefined),
    };
  };
  return Object.freeze({ list });
}
