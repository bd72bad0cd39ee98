// Hears the keyboard and calls the desk's verbs.

import { nextPane } from "./panes.js";

const FIELDS = "input, textarea, select, [contenteditable]";
const CONTROLS = "button, a, summary, [popover], .messages";

export function listen({ desk, page = document }) {
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || page.querySelector("dialog[open]")) return;
    const verb = desk.keymap.press(strokeOf(event), whereOf(event.target), desk.now());
    if (!verb || !run(desk, verb)) return;
    event.preventDefault();
  });
}

const strokeOf = (event) => ({
  key: event.key,
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

// Returns whether the key was used.
function run(desk, verb) {
  const { listPane } = desk;
  const [kind, name] = verb.split(":");
  if (kind === "page") desk.goPage(name);
  else if (kind === "sort") desk.goSort(name);
  else if (kind === "list") return walk(listPane, desk, name);
  else if (verb === "back") return back(desk);
  else if (kind === "pick") return pick(desk, name);
  else if (kind === "pane") nextPane(desk, name === "next" ? 1 : -1);
  else if (kind === "unread") desk.nextUnread(name === "next" ? 1 : -1);
  else if (verb === "help") desk.help();
  else if (verb === "search") desk.search.open();
  else if (verb === "palette") desk.palette.open();
  else if (verb === "thread:done" && desk.picks.size) desk.bulk.finish();
  else if (desk.threadId === null) return false;
  else if (verb === "reply") desk.composer.focus();
  else if (verb === "customer") desk.customer.toggle();
  else if (verb === "explain") desk.explain.open();
  else if (verb === "thread:show") desk.showInList();
  else if (verb === "thread:done") desk.acts.finish();
  return true;
}

function walk(listPane, desk, name) {
  const steps = {
    next: () => listPane.walk(1),
    previous: () => listPane.walk(-1),
    "page-down": () => listPane.page(1),
    "page-up": () => listPane.page(-1),
    top: () => desk.toTop(),
    end: () => listPane.toEnd(),
    open: () => listPane.openActive(),
    pause: () => desk.togglePause(),
  };
  steps[name]();
  if (name !== "pause") listPane.focus();
  return true;
}

function pick(desk, name) {
  const { picks, listPane } = desk;
  if (name === "toggle") picks.toggle();
  else if (name === "all") picks.all();
  else picks.extend(name === "down" ? 1 : -1);
  listPane.focus();
  return true;
}

// An open menu closes itself on Esc.
function back(desk) {
  if (document.querySelector("[popover]:popover-open")) return false;
  desk.back();
  return true;
}
