// Builds every part of the page and hands them to each other; nothing imports it.

import { Drafts } from "./core/drafts.js";
import { Fetcher } from "./core/fetcher.js";
import { Hold } from "./core/hold.js";
import { Keymap } from "./core/keymap.js";
import { Lists } from "./core/lists.js";
import { Notice } from "./core/notice.js";
import { Outbox } from "./core/outbox.js";
import { Prefs } from "./core/prefs.js";
import { Presence } from "./core/presence.js";
import { Rows } from "./core/rows.js";
import { Selection } from "./core/selection.js";
import { OpenThread } from "./core/thread.js";
import { ThreadMode } from "./core/thread-mode.js";
import { Alive, deviceId } from "./net/alive.js";
import { Api } from "./net/api.js";
import { Http } from "./net/http.js";
import { Connection } from "./net/socket.js";
import { Tabs } from "./net/tabs.js";
import { watch } from "./net/wake.js";
import { Acts } from "./ui/acts.js";
import { Bulk } from "./ui/bulk.js";
import { Canned } from "./ui/canned.js";
import { Colleagues } from "./ui/colleagues.js";
import { Composer } from "./ui/composer.js";
import { Density } from "./ui/density.js";
import { Desk } from "./ui/desk.js";
import { Dialog } from "./ui/dialog.js";
import { Follow } from "./ui/follow.js";
import { listen } from "./ui/keys.js";
import { Language } from "./ui/language.js";
import { standIn } from "./ui/lazy.js";
import { Leavers } from "./ui/leavers.js";
import { ListPane } from "./ui/list.js";
import { MessagesPane } from "./ui/messages.js";
import { NoticeTeller } from "./ui/notice.js";
import { Painter } from "./ui/painter.js";
import { Splitter } from "./ui/panes.js";
import { Picks } from "./ui/picks.js";
import { PresenceDesk } from "./ui/presence-desk.js";
import { probe } from "./ui/probe.js";
import { Settings } from "./ui/settings.js";
import { mount } from "./ui/shell.js";
import { Theme } from "./ui/theme.js";
import { Toasts } from "./ui/toasts.js";

const at = (id) => document.getElementById(id);
const boot = JSON.parse(at("boot").textContent);
const aheadMs = boot.server_now - Date.now();
const now = () => Date.now() + aheadMs;

const language = new Language();
await language.begin(boot.preferences.locale);

const painter = new Painter();
const api = new Api(new Http({ signedOut: () => desk.end("session") }));
const connection = new Connection({ on: socketEvents(), now, device: deviceId(localStorage) });
const call = (name, data) => connection.call(name, data);
const tell = (name, data) => connection.tell(name, data);
const presence = new Presence({
  call, now, adminId: boot.admin.id,
  changed: () => painter.ask("presence", "list", "thread", "banner"),
});
const mode = new ThreadMode({ tell, watched: (id) => presence.others(id).length > 0 });
const alive = new Alive({
  tell, focused: (focused) => mode.focus(focused), left: () => connection.leave(),
});
const rows = new Rows();
const hold = new Hold();
const fetcher = new Fetcher({
  load: (ids) => api.rows(ids),
  mark: () => rows.tick,
  take: (taken, asOf) => {
    for (const row of taken) rows.put(row, asOf);
    painter.ask("list", "thread");
  },
  now,
});
const lists = new Lists({
  call, rows, fetcher, now,
  mayMove: () => desk.mayMove(),
  changed: () => painter.ask("list", "header", "banner"),
});
const thread = new OpenThread({
  call, rows,
  older: (id, beforeId) => api.messagesBefore(id, beforeId),
  changed: () => painter.ask("messages", "thread", "composer", "list", "presence"),
  joined: (id, viewers) => {
    presence.viewers({ thread_id: id, version: 0, viewers });
    mode.joined(id);
  },
  left: () => mode.left(),
});
const outbox = new Outbox({
  send: (item) => api.reply(item),
  token: () => crypto.randomUUID(),
  changed: () => painter.ask("messages"),
  sent: (item, message) => thread.received({ thread_id: item.threadId, message }),
  moved: (item) => item.unseen.forEach(
    (message) => thread.received({ thread_id: item.threadId, message }),
  ),
  storage: sessionStorage,
  adminId: boot.admin.id,
  now,
});
const desk = new Desk({
  admin: boot.admin, call, presence, mode, now, language, painter, api, connection, rows, hold, lists, thread, outbox,
  keymap: new Keymap(),
  drafts: new Drafts({ storage: localStorage, adminId: boot.admin.id }),
  prefs: new Prefs({ kept: boot.preferences, send: (changes) => api.prefer(changes) }),
  theme: new Theme(),
  toasts: new Toasts(() => painter.ask("toasts")),
  dialog: new Dialog({ element: at("dialog"), text: () => language.t }),
  announce: (text) => { at("announcer").textContent = text; },
});
desk.acts = new Acts(desk);
desk.settings = new Settings(desk);
desk.density = new Density({
  prefs: desk.prefs,
  changed: (fromPx) => desk.listPane.resized(fromPx),
});
desk.picks = new Picks({ desk, selection: new Selection() });
desk.bulk = new Bulk(desk);
desk.follow = new Follow(desk);
desk.leavers = new Leavers(desk);
desk.colleagues = new Colleagues(desk);
desk.canned = new Canned(desk);
desk.splitter = new Splitter({
  element: at("splitter"), panel: at("panel"), list: at("pane-list"), desk,
});
desk.notice = new NoticeTeller({
  desk, notice: new Notice(), icon: at("icon"), tabs: new Tabs({ name: `lineup:${boot.admin.id}` }),
});
standIn(desk, "search", "open", async () => {
  const { SearchPane } = await import("./ui/search.js");
  return new SearchPane({ root: at("search"), desk });
}, { field: true });
standIn(desk, "palette", "open", async () => {
  const { Palette } = await import("./ui/palette.js");
  return new Palette({ element: at("palette"), desk });
}, { field: true });
standIn(desk, "customer", "toggle", async () => {
  const { CustomerPanel } = await import("./ui/customer.js");
  return new CustomerPanel({ root: at("customer"), desk });
});
standIn(desk, "explain", "open", async () => {
  const { Explain } = await import("./ui/explain.js");
  return new Explain({ element: at("explain"), desk });
});
standIn(desk, "helpDialog", "open", async () => {
  const { HelpDialog } = await import("./ui/help.js");
  return new HelpDialog({ desk });
});
standIn(desk, "settingsDialog", "open", async () => {
  const { SettingsDialog } = await import("./ui/settings-dialog.js");
  return new SettingsDialog({ desk });
});
standIn(desk, "cannedDialog", "open", async () => {
  const { CannedDialog } = await import("./ui/canned-dialog.js");
  return new CannedDialog({ desk });
});
desk.listPane = new ListPane({ root: at("list"), desk });
desk.messages = new MessagesPane({ root: at("messages"), desk });
desk.composer = new Composer({ root: at("composer"), desk });

desk.presencePanels = new PresenceDesk({ desk });
mount({ desk });
listen({ desk });
watch({ on: { slept: () => desk.slept(), back: () => desk.cameBack() } });
window.addEventListener("popstate", (event) => {
  desk.goTo(location.hash, { deep: event.state?.ours !== true });
});
for (const name of ["online", "offline"]) {
  window.addEventListener(name, () => desk.setOnline(navigator.onLine));
}
window.lineup = probe(desk);
desk.goTo(location.hash, { deep: true });
connection.start();

function socketEvents() {
  const events = {
    "list:order": (frame) => lists.frame(frame),
    "pages:totals": (totals) => desk.setTotals(totals),
    "order:status": (status) => desk.setLate(status),
    "thread:message": (data) => thread.received(data),
    "thread:viewers": (data) => presence.viewers(data),
    "thread:typing": (data) => presence.typing(data),
    "thread:cursor": (data) => desk.presencePanels.cursor(data),
    "presence:ping": () => alive.pong(),
    "presence:update": (data) => presence.update(data),
    "presence:status": (data) => presence.status(data),
    "thread:act": (data) => desk.colleagues.did(data),
    "thread:delivery": (data) => thread.delivered(data),
    "sources:failing": ({ sources }) => desk.setFailing(sources),
    "session:ended": () => desk.end("session"),
  };
  return {
    connected: () => desk.connected(),
    disconnected: () => desk.disconnected(),
    refused: (error) => desk.refused(error),
    event: (name, data, acknowledge) => {
      events[name]?.(data);
      acknowledge?.();
    },
  };
}
