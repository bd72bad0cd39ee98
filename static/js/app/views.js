// The saved views: read from the server, and what the page does as they are added, edited, deleted.

import { SavedViews } from "../core/list/saved-views.js";
import { hasSameRules, Sorts, sortsOf } from "../core/query/sorts.js";
import { ICONS } from "../ui/elements/icons.js";
import { refusalOf } from "../ui/elements/language.js";
import { Lazy } from "../ui/elements/lazy.js";

// boot: what the page brought, of views the first ones; parts() is called once something changed.
/** @param {StartViewsParts} given @returns {SavedViews} */
export function startViews({ boot, api, language, toasts, parts }) {
  let begun = false;
  const saved = new SavedViews({
    builtIn: boot.views,
    ask: () => api.views(),
    send: (ids) => api.orderViews(ids),
    named: (id, name) => language.given.set(`view.${id}`, name),
    changed: (changes) => { if (begun) viewsChanged(parts(), changes); },
    refused: (error) => toasts.show(refusalOf(error, language.t)),
  });
  saved.take(boot.saved_views ?? []);
  begun = true;
  return saved;
}

/** @param {ViewsChangedParts} parts @param {ViewChange[]} changes */
function viewsChanged(parts, changes) {
  const { lists, navigation, alerts, painter, toasts, announce, language: { t } } = parts;
  const { view, sort } = lists.list;
  for (const { was, now, own } of changes) {
    const id = (was ?? now).id;
    // Of a deleted one the server says that there is none.
    if (was?.query !== now?.query || was?.timezone !== now?.timezone) lists.renew(id);
    if (id !== view) continue;
    if (was && now && sort === was.sort && sort !== now.sort) navigation.follow(now.sort);
    if (was && !now) announce(t("view.gone", { name: was.name }));
    else if (was && !own) toasts.show(t("view.edited", { name: now.name }));
  }
  painter.ask("nav"); // of their totals and their order
  if (!changes.length) return;
  alerts.write();
  painter.askAll();
}

// The script that drags views comes with the first press on one.
/** @param {() => ViewDragParts} parts */
export function viewDragging(parts) {
  const lazy = new Lazy({
    load: async () => {
      const { ViewDrag } = await import("../ui/query/view-drag.js");
      return new ViewDrag(parts());
    },
    failed() {}, // the keys and the dialog move them, too
  });
  return {
    get id() { return lazy.part?.id ?? null; },
    /** @param {PointerEvent} event */
    press(event) {
      lazy.get().then((part) => part?.press(event));
    },
  };
}

// Tells a screen reader that a list is being built, and then how long it is. Called at each painting.
/** @param {Pick<Parts, "lists" | "announce" | "language">} parts */
export function viewTeller({ lists, announce, language }) {
  let built = null; // the sync of a list that is being built
  return () => {
    const { sync, listing } = lists.current;
    const { t } = language;
    if (sync.building !== null && sync !== built) {
      built = sync;
      announce(t("building"));
    } else if (sync === built && sync.building === null) {
      built = null;
      if (listing.ready) announce(t("header.total", { count: listing.painted.liveTotal }));
    }
  };
}

// The saved sorts: read from the server, and what the page does as they are added, edited, deleted.
const DEFAULT_SORT = "arrival"; // instead of one that was deleted

// boot: what the page brought; parts() is called once something changed.
/** @param {StartSortsParts} given @returns {Sorts} */
export function startSorts({ boot, api, language, parts }) {
  const { sorts: builtIn, saved_sorts: saved, sorts_by_wait: byWait } = boot;
  let begun = false;
  const sorts = new Sorts({
    builtIn,
    ask: () => api.sorts(),
    choose: () => choose(parts()),
    named: (name, title) => {
      language.given.set(`sort.${name}`, title);
      language.given.set(`sort.${name}.short`, title);
    },
    changed: (changes) => {
      if (!begun) return;
      for (const { was, now } of changes) noteWait(byWait, (was ?? now).name, now);
      sortsChanged(parts(), changes);
    },
  });
  sorts.take(saved);
  begun = true;
  return sorts;
}

// On lists in a sort that goes by the wait, rows also show waits below a minute.
/** @param {string[]} byWait @param {string} name @param {SavedSort | undefined} sort */
function noteWait(byWait, name, sort) {
  const at = byWait.indexOf(name);
  if (at >= 0) byWait.splice(at, 1);
  if (sort?.rules?.some(({ order }) => order === "oldest")) byWait.push(name);
}

/** @param {SortsChangedParts} parts @param {SortChange[]} changes */
function sortsChanged({ lists, navigation, painter }, changes) {
  for (const { was, now } of changes) {
    const { name } = was ?? now;
    if (was && now && !hasSameRules(was, now)) lists.renewSort(name);
    if (!now && lists.list.sort === name) navigation.goSort(DEFAULT_SORT);
  }
  painter.askAll();
}

// All of them in the palette, found by typing; the one that the list is in is active at first.
/** @param {SortChoiceParts} parts */
export function choose({ choices, lists, navigation, palette, keymap, language: { t } }) {
  palette.open({
    label: t("sorts.choose"),
    entries: () => sortsOf(lists.list.view, choices.sorts).map((name) => ({
      text: t(`sort.${name}`), keys: keymap.keysOf(`sort:${name}`),
      icon: name === lists.list.sort ? ICONS.check : "", isCurrent: name === lists.list.sort,
      run: () => navigation.goSort(name),
    })),
  });
}
