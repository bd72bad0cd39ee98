// The panes and dialogs whose scripts are loaded at their first use.

import { AWAKE } from "../core/query/sorts.js";
import { Lazy, LazyPane } from "../ui/elements/lazy.js";

/** @returns {any} of the kind that templates/dashboard.html has there */
const at = (id) => document.getElementById(id);

// parts() returns what main.js built; failed() is called when a script could not be loaded.
/** @param {{parts: () => LazyPanesParts, failed: () => void}} given */
export function lazyPanes({ parts, failed }) {
  const pane = (load, hasField = false) => new LazyPane({
    failed, hasField, load: () => load(parts()),
  });
  return {
    search: pane(loadSearch, true),
    palette: pane(loadPalette, true),
    customer: pane(loadCustomer),
    explain: pane(loadExplain),
    snooze: pane(loadSnooze, true),
    handOver: pane(loadHandOver, true),
    handOverAll: pane(loadHandOverAll),
    tagPicker: pane(loadTags, true),
    helpDialog: pane(loadHelp),
    settingsDialog: pane(loadSettings),
    cannedDialog: pane(loadCanned),
    firstSteps: pane(loadFirstSteps),
    unsentDialog: pane(loadUnsent),
    sortsDialog: pane(loadSorts),
    calendarsDialog: pane(loadCalendars),
    policiesDialog: pane(loadPolicies),
    viewEditor: pane(loadViewEditor),
    viewsDialog: pane(loadViewsDialog),
  };
}

let made = null; // the settings, once something shows them
let snoozeMenu = null; // which the palette lists, too

/** @param {LazyPanesParts} parts */
async function settingsOf(parts) {
  const { Settings } = await import("../ui/dialogs/settings.js");
  made ??= new Settings({ ...parts, signedOut: () => parts.connectionState.end("session") });
  return made;
}

// Opens the thread of a result at the message that matches, with the matches marked.
/** @param {LazyPanesParts} parts @param {Found} result @param {string} query */
async function openResult({ rows, open, threadPane }, { row, message }, query) {
  rows.put(row);
  open(row.id, message?.id ?? null);
  const found = (await threadPane.get())?.found;
  if (message) found?.begin(row.id, { query, messageId: message.id });
  else found?.leave();
}

/** @param {LazyPanesParts} parts */
async function loadSearch(parts) {
  const { threadPane } = parts;
  const [{ SearchPane }] = await Promise.all([
    import("../ui/query/pane.js"), parts.language.add("query"),
  ]);
  return new SearchPane({
    ...parts, root: at("search"),
    openResult: (result, query) => openResult(parts, result, query),
    left: () => threadPane.part?.found.leave(),
  });
}

/** @param {LazyPanesParts} parts */
async function loadPalette(parts) {
  const [{ Palette }, { commands }, settings, snoozing] = await Promise.all([
    import("../ui/dialogs/palette.js"), import("../ui/dialogs/palette.js"), settingsOf(parts),
    loadSnooze(parts),
  ]);
  const { api, rows, painter, language, finder, search, open } = parts;
  return new Palette({
    element: at("palette"), api, rows, painter, language,
    commands: () => commands({ ...parts, settings, snoozing }),
    openThread: open,
    openFound: (result, query) => {
      openResult(parts, result, query);
      finder.showInList({ quiet: true });
    },
    openSearch: (query) => search.open(query),
  });
}

/** @param {LazyPanesParts} parts */
async function loadCustomer(parts) {
  const { CustomerPanel } = await import("../ui/thread/customer.js");
  return new CustomerPanel({ ...parts, root: at("customer") });
}

/** @param {LazyPanesParts} parts */
async function loadExplain({ thread, lists, api, now, language }) {
  const { Explain } = await import("../ui/dialogs/explain.js");
  return new Explain({ element: at("explain"), thread, lists, api, now, language });
}

/** @param {LazyPanesParts} parts */
async function loadSnooze(parts) {
  const { SnoozeMenu } = await import("../ui/dialogs/snooze.js");
  snoozeMenu ??= new SnoozeMenu({ ...parts, element: at("snooze") });
  return snoozeMenu;
}

/** @param {LazyPanesParts} parts */
async function loadHandOver(parts) {
  const { HandOverPicker } = await import("../ui/dialogs/hand-over.js");
  return new HandOverPicker({ ...parts, element: at("hand-over") });
}

/** @param {LazyPanesParts} parts */
async function loadHandOverAll(parts) {
  const { HandOverAll } = await import("../ui/dialogs/hand-over-all.js");
  return new HandOverAll(parts);
}

/** @param {LazyPanesParts} parts */
async function loadTags(parts) {
  const { TagPicker } = await import("../ui/dialogs/tags.js");
  return new TagPicker({ ...parts, element: at("tags") });
}

/** @param {LazyPanesParts} parts */
async function loadHelp(parts) {
  const { dialog, keymap, language } = parts;
  const settings = await settingsOf(parts);
  const { HelpDialog } = await import("../ui/dialogs/settings.js");
  return new HelpDialog({ dialog, keymap, settings, language });
}

/** @param {LazyPanesParts} parts */
async function loadSettings(parts) {
  const {
    dialog, theme, density, prefs, keymap, alerts, admin, language, cannedDialog, choices,
    connection, toasts, calendarsDialog, policiesDialog, api, now,
  } = parts;
  const settings = await settingsOf(parts);
  const { SettingsDialog } = await import("../ui/dialogs/settings.js");
  return new SettingsDialog({
    dialog, settings, theme, density, prefs, keymap, alerts, admin, language,
    openCanned: () => cannedDialog.open(), views: choices.views.filter((view) => AWAKE.has(view)),
    call: (name, data) => connection.call(name, data), toasts, calendarsDialog, policiesDialog, api, now,
  });
}

/** @param {LazyPanesParts} parts */
async function loadCanned({ dialog, api, language, limits, threadPane }) {
  const { CannedDialog } = await import("../ui/dialogs/canned.js");
  const { canned } = await threadPane.get();
  const fetchCanned = () => canned.load({ anew: true });
  return new CannedDialog({ dialog, api, language, limits, loadCanned: fetchCanned });
}

/** @param {LazyPanesParts} parts */
async function loadFirstSteps({ lists, totals, navigation, painter, announce, language }) {
  const { FirstSteps } = await import("../ui/list/empty.js");
  const root = document.createElement("div");
  root.className = "first-steps";
  at("list-empty").after(root);
  return new FirstSteps({ root, lists, totals, navigation, painter, announce, language });
}

/** @param {LazyPanesParts} parts */
async function loadSorts(parts) {
  const [{ SortsDialog }] = await Promise.all([
    import("../ui/query/sorts-dialog.js"), parts.language.add("query"),
  ]);
  return new SortsDialog(parts);
}

/** @param {LazyPanesParts} parts */
async function loadCalendars(parts) {
  const [{ CalendarsDialog }] = await Promise.all([
    import("../ui/hours/calendars-dialog.js"), parts.language.add("hours"),
  ]);
  return new CalendarsDialog(parts);
}

/** @param {LazyPanesParts} parts */
async function loadPolicies(parts) {
  const [{ PoliciesDialog }] = await Promise.all([
    import("../ui/hours/policies-dialog.js"), parts.language.add("hours"), parts.language.add("query"),
  ]);
  return new PoliciesDialog(parts);
}

/** @param {LazyPanesParts} parts */
async function loadViewEditor(parts) {
  const [{ ViewEditor }] = await Promise.all([
    import("../ui/query/view-editor.js"), parts.language.add("views"), parts.language.add("query"),
  ]);
  return new ViewEditor(parts);
}

/** @param {LazyPanesParts} parts */
async function loadViewsDialog(parts) {
  const [{ ViewsDialog }] = await Promise.all([
    import("../ui/query/views-dialog.js"), parts.language.add("views"),
  ]);
  return new ViewsDialog(parts);
}

// Its script is there with what it shows: it is needed most while nothing can be loaded.
/** @param {LazyPanesParts} parts */
async function loadUnsent(parts) {
  const { dialog, unsent, rows, api, now, painter, language, open, threadPane } = parts;
  return (await unsent.get()).dialogOf({
    dialog, unsent, rows, api, now, painter, language, open,
    takeBack: async (item) => (await threadPane.get())?.replies.takeBack(item),
  });
}

// Finding threads in the list that is shown; its script is loaded at its first use.

// parts() returns what main.js built; failed() is called when the script could not be loaded.
/** @param {{parts: () => FinderParts, failed: () => void}} given */
export function lazyFinder({ parts, failed }) {
  const finding = new Lazy({
    failed,
    load: async () => {
      const { ThreadFinder } = await import("../ui/list/thread-finder.js");
      return new ThreadFinder({
        ...parts(), goList: (list) => parts().navigation.goList(list),
      });
    },
  });
  return {
    showInList: async (options) => (await finding.get())?.showInList(options),
    nextUnread: async (step) => (await finding.get())?.nextUnread(step),
  };
}
