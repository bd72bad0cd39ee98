// The action of each verb of core/keymap.js. false: the key is left to the browser.

import { nextPane } from "./layout.js";

/** @param {Page} page */
export function verbsOf(page) {
  const { data: { thread }, ui: { picks }, acts: { navigation } } = page;
  const onThread = (run) => () => (thread.id === null ? false : void run());
  const onTarget = (run) => (name) => onTargetOf(page, (target) => run(target, name));
  return {
    view: (name) => navigation.goView(name),
    saved: (place) => navigation.goSaved(Number(place)),
    views: () => void page.acts.openSettings("views"),
    sorts: () => page.data.sorts.choose(),
    sort: (name) => navigation.goSort(name),
    priority: onTarget((target, priority) => act(page, target, "prioritise", { priority })),
    list: (name) => walk(page, name),
    pick: (name) => pick(page, name),
    back: () => back(page),
    match: (name) => match(page, name),
    pane: (name) => nextPane(name === "next" ? 1 : -1, thread.id !== null),
    unread: (name) => void page.acts.finder.nextUnread(name === "next" ? 1 : -1),
    help: () => void page.ui.helpDialog.open(),
    search: () => void page.ui.search.open(),
    filters: () => void page.ui.search.open(null, { filters: true }),
    palette: () => void page.ui.palette.open(),
    undo: () => void page.acts.acting.get().then((part) => part?.undoing.undo()),
    reply: onTarget((target) => write(page, target, "reply")),
    note: onTarget((target) => write(page, target, "note")),
    print: onThread(() => page.ui.threadPane.get().then((part) => part?.printout.print())),
    customer: onThread(() => page.ui.customer.toggle()),
    queues: (name) => page.ui.queues.part?.press(name) ?? false,
    explain: onThread(() => page.ui.explain.open()),
    "thread:show": onThread(() => page.acts.finder.showInList()),
    "thread:claim": onTarget((target) => act(page, target, "claim")),
    "thread:snooze": onTarget((target) => page.ui.snooze.open(null, target)),
    "thread:tag": onTarget((target) => page.ui.tagPicker.open(null, target)),
    "thread:hand": onTarget((target) => page.ui.handOver.open(null, target)),
    "thread:done": onTarget((target) => finish(page, target)),
  };
}

function onTargetOf({ data: { thread, lists }, ui: { picks, toasts, language: { t } } }, run) {
  const { target } = picks;
  if (target) return void run(target);
  if (thread.id === null && lists.listing.activeId === null) return false;
  return void toasts.show(t("key.no_target"));
}

// Acts on the selected threads, or on one.
function act({ ui: { bulk }, acts: { acting } }, { ids, isPicked }, action, more = {}) {
  if (isPicked) bulk.get().then((part) => part?.run(more.priority ? "priority" : action, more, ids));
  else if (more.priority) acting.get().then((part) => part?.actions.prioritise(more.priority, ids[0]));
  else acting.get().then((part) => part?.actions[action](ids[0]));
}

function finish({ ui: { bulk }, acts: { acting } }, { ids, isPicked }) {
  if (isPicked) bulk.get().then((part) => part?.finish());
  else acting.get().then((part) => part?.actions.finishByKey(ids[0]));
}

// Writes to the open thread, or to the one of the keyboard's row, which is opened for it.
function write({ data: { thread }, acts }, { ids: [id], isPicked }, kind) {
  if (!isPicked && id !== thread.id) acts.open(id);
  if (isPicked && thread.id === null) return;
  acts.write(kind);
}

function walk({ data: { movement }, ui: { past, listPane }, acts: { toTop } }, name) {
  const pane = past ?? listPane;
  const steps = {
    next: () => pane.walk(1),
    previous: () => pane.walk(-1),
    "page-down": () => pane.page(1),
    "page-up": () => pane.page(-1),
    top: () => toTop(),
    end: () => pane.toEnd(),
    open: () => pane.openActive(),
    pause: () => movement.togglePause(),
  };
  steps[name]();
  if (name !== "pause") pane.focus();
}

// Nothing can be selected on a list as it was.
function pick({ ui: { past, picks, listPane } }, name) {
  if (past) return;
  if (name === "toggle") picks.toggle();
  else if (name === "all") picks.all();
  else picks.extend(name === "down" ? 1 : -1);
  listPane.focus();
}

// Goes to another message that the search found in the open thread.
function match({ ui: { threadPane } }, name) {
  const found = threadPane.part?.found;
  if (!found?.shown) return false;
  return found.step(name === "next" ? 1 : -1);
}

// An open menu closes itself on Esc. Else Esc first removes the marks of a search, unless it closes the search.
function back({ ui: { layout, threadPane, settings } }) {
  if (document.querySelector("[popover]:popover-open")) return false;
  if (settings.part?.shown) return void settings.part.back();
  const found = threadPane.part?.found;
  if (found?.shown && !document.activeElement?.closest("#search")) return found.leave();
  return layout.back();
}

// Listens to the keyboard and runs the verb of each key. While settings cover the desk, only these work.
const IN_SETTINGS = new Set(["back", "palette", "help", "queues:open"]);
const FIELDS = "input, textarea, select, [contenteditable]";
// Verbs that a held key repeats; all others run once per press.
const REPEATED = /^(list:(next|previous|page-down|page-up)|pick:(down|up)|unread:.*|match:.*)$/;
const CONTROLS = "button, a, summary, [popover], .messages";

// A verb is "name" or "kind:name"; verbs: {verb or kind: (name) → false if the key was not used}.
export function listen({ keymap, now, verbs }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const verb = keymap.press(strokeOf(event), whereOf(event.target), now());
    if (!verb || (document.querySelector("[data-area]") && !IN_SETTINGS.has(verb))) return;
    if (event.repeat && !REPEATED.test(verb)) return event.preventDefault();
    const [kind, name] = verb.split(":");
    if ((verbs[verb] ?? verbs[kind])(name) !== false) event.preventDefault();
    return undefined;
  });
  // Browsers press a button again and again while Enter is held down on it.
  document.addEventListener("keydown", (event) => {
    const onButton = event.target instanceof Element && event.target.closest("button") !== null;
    if (event.repeat && event.key === "Enter" && onButton) event.preventDefault();
  }, { capture: true });
}

const strokeOf = (event) => ({
  key: event.key,
  code: event.code,
  altGraph: event.getModifierState("AltGraph"),
  ctrl: event.ctrlKey,
  alt: event.altKey,
  shift: event.shiftKey,
  meta: event.metaKey,
  composing: event.isComposing || event.keyCode === 229,
});

function whereOf(target) {
  const matches = (selector) => target instanceof Element && target.closest(selector) !== null;
  return { field: matches(FIELDS), control: matches(CONTROLS) };
}
