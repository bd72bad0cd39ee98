// The action of each verb of core/keymap.js. false: the key is left to the browser.

import { nextPane } from "./layout.js";

/** @param {Page} page */
export function verbsOf(page) {
  const { data: { thread }, ui: { picks }, acts: { navigation } } = page;
  const onThread = (run) => () => (thread.id === null ? false : void run());
  return {
    view: (name) => navigation.goView(name),
    saved: (place) => navigation.goSaved(Number(place)),
    views: () => void page.ui.viewsDialog.open(),
    sorts: () => page.data.sorts.choose(),
    sort: (name) => navigation.goSort(name),
    priority: (priority) => act(page, "prioritise", { priority }),
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
    reply: onThread(() => page.acts.write("reply")),
    note: onThread(() => page.acts.write("note")),
    print: onThread(() => page.ui.threadPane.get().then((part) => part?.printout.print())),
    customer: onThread(() => page.ui.customer.toggle()),
    explain: onThread(() => page.ui.explain.open()),
    "thread:show": onThread(() => page.acts.finder.showInList()),
    "thread:claim": () => act(page, "claim"),
    "thread:snooze": () => (picks.size || thread.id !== null ? void page.ui.snooze.open() : false),
    "thread:tag": () => (picks.size || thread.id !== null ? void page.ui.tagPicker.open() : false),
    "thread:hand": () => (picks.size || thread.id !== null ? void page.ui.handOver.open() : false),
    "thread:done": () => (picks.size || thread.id !== null ? void page.acts.finish() : false),
  };
}

// Acts on the selected threads, or else on the open one.
function act({ data: { thread }, ui: { picks, bulk }, acts: { acting } }, action, more = {}) {
  if (picks.size) bulk.get().then((part) => part?.run(more.priority ? "priority" : action, more));
  else if (thread.id === null) return false;
  else acting.get().then((part) => part?.actions[action](more.priority));
  return undefined;
}

function walk({ data: { movement }, ui: { listPane }, acts: { toTop } }, name) {
  const steps = {
    next: () => listPane.walk(1),
    previous: () => listPane.walk(-1),
    "page-down": () => listPane.page(1),
    "page-up": () => listPane.page(-1),
    top: () => toTop(),
    end: () => listPane.toEnd(),
    open: () => listPane.openActive(),
    pause: () => movement.togglePause(),
  };
  steps[name]();
  if (name !== "pause") listPane.focus();
}

function pick({ ui: { picks, listPane } }, name) {
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
function back({ ui: { layout, threadPane } }) {
  if (document.querySelector("[popover]:popover-open")) return false;
  const found = threadPane.part?.found;
  if (found?.shown && !document.activeElement?.closest("#search")) return found.leave();
  return layout.back();
}

// Listens to the keyboard and runs the verb of each key.
const FIELDS = "input, textarea, select, [contenteditable]";
// Verbs that a held key repeats; all others run once per press.
const REPEATED = /^(list:(next|previous|page-down|page-up)|pick:(down|up)|unread:.*|match:.*)$/;
const CONTROLS = "button, a, summary, [popover], .messages";

// A verb is "name" or "kind:name"; verbs: {verb or kind: (name) → false if the key was not used}.
export function listen({ keymap, now, verbs }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const verb = keymap.press(strokeOf(event), whereOf(event.target), now());
    if (!verb) return;
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
