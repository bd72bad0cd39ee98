// Builds the dashboard's parts and connects them; nothing imports it.

import { storage, zones } from "./browser.js";
import { lazyFinder, lazyPanes } from "./app/lazy-panes.js";
import { addRegions } from "./app/regions.js";
import { socketEvents } from "./app/socket-events.js";
import { startSorts, startViews, viewDragging, viewTeller } from "./app/views.js";
import { Keymap } from "./core/keymap.js";
import { Hold, Movement } from "./core/list/hold.js";
import { Lists, Neighbours, VisibleRows } from "./core/list/lists.js";
import { Fetcher, Rows } from "./core/list/rows.js";
import { Prefs } from "./core/prefs.js";
import { Presence } from "./core/presence.js";
import { ThreadMode } from "./core/thread/thread-mode.js";
import { OpenThread } from "./core/thread/thread.js";
import { chooseZone } from "./core/time.js";
import { FilterTotals, Totals } from "./core/totals.js";
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
import { Picks, Selection } from "./ui/list/picks.js";
import { RowLook } from "./ui/list/row-look.js";
import { PresencePanels } from "./ui/presence/panels.js";
import { Alerts } from "./ui/shell/alerts.js";
import { QueueLine } from "./ui/shell/banner.js";
import { ConnectionState } from "./ui/shell/connection-state.js";
import { Density, Layout, Splitter, Theme } from "./ui/shell/layout.js";
import { Navigation } from "./ui/shell/navigation.js";
import { listen, verbsOf } from "./ui/shell/verbs.js";

/** @returns {any} of the kind that templates/dashboard.html has there */
const at = (id) => document.getElementById(id);
const boot = JSON.parse(at("boot").textContent);
const { admin, limits, priorities, protocol, filters, view_queries: viewQueries } = boot;
const choices = {
  viewQueries, filters, priorities,
  get views() { return savedViews.builtIn; }, get sorts() { return savedSorts.names; },
};
followTranslation();
allowPictures(boot.picture_hosts);
chooseZone(boot.preferences.timezone, ...zones());
const adminId = admin.id;
const aheadMs = boot.server_now - Date.now();
const now = () => Date.now() + aheadMs;

const assets = JSON.parse(at("assets").textContent);
const language = new Language(assets.texts, assets.later);
await language.begin(boot.preferences.locale);

// Texts, painting, messages to the admin, requests.
const painter = new Painter();
const toasts = new Toasts(() => painter.ask("toasts"));
const dialog = new Dialog({ element: at("dialog"), text: () => language.t });
const announce = (text) => { at("announcer").textContent = text; };
const api = new Api(new Http({ signedOut: () => connectionState.end("session") }));
const device = deviceId(storage());
const connection = new Connection({
  on: socketEvents(() => parts), protocol, now, device, type: deviceType(navigator),
});
const call = (name, data) => connection.call(name, data);
const tell = (name, data) => connection.tell(name, data);
const prefs = new Prefs({ kept: boot.preferences, send: (changes) => api.prefer(changes) });
addEventListener("pagehide", () => prefs.flush());

// Data.
const presence = new Presence({
  call, now, adminId, watchMax: limits.watched_ids,
  changed: () => painter.ask("presence", "list", "thread", "banner", "nav", "composer", "hand-over"),
});
const mode = new ThreadMode({ tell, watched: (id) => presence.others(id).length > 0 });
const heartbeat = new Heartbeat({
  tell, focused: (focused) => mode.focus(focused), left: () => connection.leave(),
});
const liveness = new Liveness({
  connection, now, ask: () => call("presence:pong", heartbeat.report),
  changed: () => {
    painter.ask("banner", "nav", "header");
    if (liveness.silentSince === null) connectionState.heard();
  },
});
const rows = new Rows();
const hold = new Hold();
const totals = new Totals();
const savedViews = startViews({ boot, api, language, toasts, parts: () => parts });
const savedSorts = startSorts({ boot, api, language, parts: () => parts });
const fetcher = new Fetcher({
  load: (ids) => api.rows(ids),
  batchMax: limits.row_ids,
  mark: () => rows.tick,
  take: (taken, asOf) => {
    for (const row of taken) rows.put(row, asOf);
    painter.ask("list", "thread");
  },
  now,
});
const lists = new Lists({
  call, rows, fetcher, limits, now, archived: (list, asked) => api.archive(list, asked),
  mayMove: () => movement.mayMove(),
  changed: () => painter.ask("list", "header", "banner"),
});
const movement = new Movement({ hold, lists, now, painter, announce, language });
const thread = new OpenThread({
  call, rows, adminId,
  part: (id, where, messageId) => api.messages(id, where, messageId),
  changed: () => painter.ask("messages", "thread", "composer", "list", "presence"),
  joined: (id, viewers) => {
    presence.viewers({ thread_id: id, viewers });
    mode.joined(id);
    notifier.part?.look();
  },
  left: () => mode.left(),
});
const neighbours = new Neighbours({ lists, thread });
const visibleRows = new VisibleRows({ lists, thread, rows, presence });

// Verbs that several parts share.
const open = (id, messageId = null) => navigation.open(id, messageId);
const showInList = (options) => finder.showInList(options);
const goView = (view) => navigation.goView(view);
const finish = async () => (picks.size ? (await bulk.get())?.finish()
  : (await acting.get())?.actions.finish());
const focusList = () => listPane.focus();
const write = async (kind) => (await threadPane.get())?.composer.focus(kind);
const toTop = () => {
  listPane.toTop();
  painter.ask("header");
};

// Parts that are loaded at their first use.
const failed = () => toasts.show(language.t("error.network"));
const { search, customer, explain, snooze, handOver, tagPicker, ...dialogs } = lazyPanes({ parts: () => parts, failed });
const unsent = new Lazy({
  failed,
  load: async () => {
    const { openUnsent } = await import("./app/unsent.js");
    return openUnsent({
      adminId, key: boot.storage_key, thread, api, now, rows, toasts, language, open,
      retry: () => connection.connected,
      asks: () => connectionState.ended === null, isReload: () => connectionState.isLeaving, acting,
      changed: () => {
        painter.ask("messages", "list", "nav", "dialog", "composer");
        alerts.write();
      },
    });
  },
});
const acting = new Lazy({
  failed,
  load: async () => {
    const { startActing } = await import("./app/acting.js");
    return startActing({
      thread, lists, rows, api, toasts, painter, language, admin, adminId, alerts, announce,
      now, open, nextTo: (id) => neighbours.next(id) ?? listPane.nextTo(id),
    });
  },
});
const threadPane = new Lazy({
  failed: () => { if (thread.id !== null) failed(); },
  load: async () => {
    const [{ ThreadPane }, kept, { actions }] = await Promise.all([
      import("./ui/thread/pane.js"), unsent.preload(), acting.preload(),
    ]);
    return new ThreadPane({
      at, connectionState, thread, outbox: kept.outbox, drafts: kept.drafts, mode, hold, prefs,
      presence, announce, api, admin, adminId, actions, explain, customer, finish, showInList,
      back: () => layout.back(), replied: () => follow.replied(), now, painter, toasts, language, priorities,
      bodyMax: limits.message_characters, limits, snooze, handOver, tagPicker,
    });
  },
});
const notifier = new Lazy({
  load: async () => {
    const { openNotifier } = await import("./app/notifier.js");
    return openNotifier({
      adminId, alerts, api, call, connection, goView, icon: at("icon"), language, lists, now, open,
      prefs, rows, thread, totals, toasts, announce,
      goOwn: () => navigation.goList({ view: "arrival", sort: prefs.sortOf("arrival"), filter: "mine" }),
    });
  },
});

// The list.
const picks = new Picks({
  selection: new Selection(), lists, thread, hold, walk: (step) => listPane.walk(step), announce,
  language, painter,
});
const bulk = new Lazy({
  failed,
  load: async () => {
    const [{ Bulk }, { undoing }] = await Promise.all([
      import("./ui/list/bulk.js"), acting.preload(),
    ]);
    return new Bulk({
      picks, lists, api, rows, dialog, toasts, painter, language, undoing, priorities, snooze, handOver, tagPicker, now,
      idsMax: limits.row_ids,
    });
  },
});
const follow = new Follow({ lists, thread, prefs, now, painter, language, showInList });
const density = new Density({ prefs, changed: (fromPx) => listPane.resized(fromPx) });
const listPane = new ListPane({
  root: at("list"), lists, hold, movement, density, picks, now, painter, open,
  rowLook: new RowLook({
    lists, thread, presence, picks, unsent, language, adminId,
    sortsByWait: boot.sorts_by_wait,
  }),
  neighbours,
  shown: ({ seen, ids, end }) => {
    neighbours.look();
    follow.look(seen);
    visibleRows.show(ids, end);
  },
});
const finder = lazyFinder({ parts: () => parts, failed });

// The frame.
const keymap = new Keymap(choices);
keymap.lettersOn = prefs.kept.single_keys;
const theme = new Theme();
const layout = new Layout({ picks, search, painter, focusList });
const alerts = new Alerts({
  icon: at("icon"), totals, prefs, presence, lists, language, unsent, notifier, now,
});
const navigation = new Navigation({
  lists, thread, prefs, picks, hold, layout, search, painter, language, announce, showInList, choices,
  neighbours, savedViews, toasts,
  changed: () => alerts.write(),
});
const clear = (reason) => {
  threadPane.part?.composer.save();
  alerts.end();
  painter.stop();
  if (unsent.part) unsent.part.showSessionEnd(language.t, reason);
  else location.replace("/login");
};
const connectionState = new ConnectionState({
  connection, api, lists, thread, presence, unsent, alerts, painter, announce, language, now, clear,
  toasts,
});
const splitter = new Splitter({
  element: at("splitter"), panel: at("panel"), list: at("pane-list"), prefs, language,
});
const presencePanels = new PresencePanels({
  presence, thread, mode, api, call, admin, now, painter, toasts, language, open, limits,
  handOverAll: dialogs.handOverAll,
});
const queueLine = new QueueLine({
  admin, painter, now, language, goList: (list) => navigation.goList(list),
});
const rowRefresh = new RowRefresh({
  thread, lists, rows, api, now, painter, isEnded: () => connectionState.ended !== null,
});
const parts = {
  ...dialogs, search, customer, explain, snooze, handOver, tagPicker, acting, admin, alerts, announce, api, bulk, choices,
  connection, connectionState, density, dialog, finder, finish, focusList, follow,
  heartbeat, hold, keymap, language, layout, limits, listPane, lists, liveness, movement, navigation,
  neighbours, notifier, now, open, painter, picks, prefs, presence, presencePanels, queueLine, rowRefresh, rows, splitter,
  savedViews, sorts: savedSorts, theme, thread, threadPane, toTop, toasts, totals, unsent, write,
  filterTotals: new FilterTotals({ lists, call, totals }), signedOutAt: boot.signed_out,
  viewDrag: viewDragging(() => parts), viewTold: viewTeller({ lists, announce, language }),
};
addRegions(parts);
listen({ keymap, now, verbs: verbsOf(parts) });
watch({ on: { slept: () => connectionState.slept(), back: () => connectionState.resumed() } });
window.addEventListener("popstate", (event) => {
  navigation.goTo(location.hash, { deep: event.state?.ours !== true });
});
for (const name of ["online", "offline"]) {
  window.addEventListener(name, () => connectionState.setOnline(navigator.onLine));
}
window.lineup = testApi();
navigation.goTo(location.hash, { deep: true });
if (boot.head) lists.begin(boot.head);
if (!boot.has_events) dialogs.firstSteps.open();
connection.start();

// What tests and benches may read of the page, as `window.lineup`.
function testApi() {
  const list = () => {
    const { sync, listing: { painted } } = lists;
    const { order } = sync;
    return {
      ...lists.list,
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
