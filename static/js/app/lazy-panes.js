// The panes and dialogs whose scripts are loaded at their first use.

import { Lazy, LazyPane } from "../ui/elements/lazy.js";

/** @returns {any} of the kind that templates/dashboard.html has there */
const at = (id) => document.getElementById(id);

// failed() is called when a script could not be loaded.
/** @param {Page} page @param {() => void} failed */
export function lazyPanes(page, failed) {
  // make(exports of the script) makes the part; texts: files of texts that the part needs.
  const pane = (script, make, { hasField = false, texts = [] } = {}) => new LazyPane({
    failed, hasField,
    load: async () => {
      const [exports] = await Promise.all([script(), ...texts.map((name) => page.ui.language.add(name))]);
      return make(exports);
    },
  });
  const settings = async () => settingsOf(page, await import("../ui/dialogs/help.js"));
  const snooze = async () => snoozeOf(page, await import("../ui/dialogs/snooze.js"));
  return {
    search: pane(() => import("../ui/query/pane.js"), ({ SearchPane }) => new SearchPane({
      ...page, root: at("search"),
      openResult: (result, query) => openResult(page, result, query),
      left: () => page.ui.threadPane.part?.found.leave(),
    }), { hasField: true, texts: ["query"] }),
    palette: pane(() => import("../ui/dialogs/palette.js"), async ({ Palette, commands }) => {
      const more = { settings: await settings(), snoozing: await snooze() };
      return new Palette({
        ...page, element: at("palette"), commands: () => commands({ ...page, ...more }),
        openFound: (result, query) => {
          openResult(page, result, query);
          page.acts.finder.showInList({ quiet: true });
        },
      });
    }, { hasField: true, texts: ["settings"] }),
    customer: pane(() => import("../ui/thread/customer.js"),
      ({ CustomerPanel }) => new CustomerPanel({ ...page, root: at("customer") })),
    explain: pane(() => import("../ui/dialogs/explain.js"),
      ({ Explain }) => new Explain({ ...page, element: at("explain") })),
    history: pane(() => import("../ui/list/past.js"), ({ PastPane }) => new PastPane(page), { texts: ["past"] }),
    changes: pane(() => import("../ui/thread/changes.js"), ({ Changes }) => new Changes(page), { texts: ["past"] }),
    snooze: pane(snooze, (menu) => menu, { hasField: true }),
    handOver: pane(() => import("../ui/dialogs/hand-over.js"),
      ({ HandOverPicker }) => new HandOverPicker({ ...page, element: at("hand-over") }),
      { hasField: true }),
    handOverAll: pane(() => import("../ui/dialogs/hand-over-all.js"),
      ({ HandOverAll }) => new HandOverAll(page)),
    tagPicker: pane(() => import("../ui/dialogs/tags.js"),
      ({ TagPicker }) => new TagPicker({ ...page, element: at("tags") }), { hasField: true }),
    helpDialog: pane(() => import("../ui/dialogs/help.js"),
      (exports) => new exports.HelpDialog({ ...page, settings: settingsOf(page, exports) })),
    firstSteps: pane(() => import("../ui/list/first-steps.js"), ({ FirstSteps }) => {
      const root = document.createElement("div");
      root.className = "first-steps";
      at("list-empty").after(root);
      return new FirstSteps({ ...page, root });
    }),
    // Its script comes with the unsent texts: the dialog is needed most while nothing can be loaded.
    unsentDialog: pane(() => page.acts.unsent.get(), ({ dialog }) => dialog),
    viewEditor: pane(() => import("../ui/query/view-editor.js"),
      ({ ViewEditor }) => new ViewEditor(page), { texts: ["views", "query", "settings"] }),
  };
}

let made = null; // the settings, once a part needs them
let snoozeMenu = null; // also listed by the palette

const settingsOf = (page, { Settings }) => (made ??= new Settings(page));
const snoozeOf = (page, { SnoozeMenu }) => (
  snoozeMenu ??= new SnoozeMenu({ ...page, element: at("snooze") }));

// Opens the thread of a result at the matching message, with the matches marked.
/** @param {Page} page @param {Found} result @param {string} query */
async function openResult({ data, ui, acts }, { row, message }, query) {
  data.rows.put(row);
  acts.open(row.id, message?.id ?? null);
  const found = (await ui.threadPane.get())?.found;
  if (message) found?.begin(row.id, { query, messageId: message.id });
  else found?.leave();
}

// Finds threads in the current list.
/** @param {Page} page @param {() => void} failed */
export function lazyFinder(page, failed) {
  const finding = new Lazy({
    failed,
    load: async () => {
      const { ThreadFinder } = await import("../ui/list/thread-finder.js");
      return new ThreadFinder(page);
    },
  });
  return {
    showInList: async (options) => (await finding.get())?.showInList(options),
    leave: async () => (await finding.preload())?.leave(),
    nextUnread: async (step) => (await finding.get())?.nextUnread(step),
  };
}
