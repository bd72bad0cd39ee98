// Saved views and sorts: read from the server, and the page's reactions when they are added, edited or deleted.

import { SavedViews } from "../core/list/saved-views.js";
import { hasSameRules, Sorts } from "../core/query/sorts.js";
import { refusalOf } from "../ui/elements/language.js";
import { Lazy } from "../ui/elements/lazy.js";

const DEFAULT_SORT = "arrival"; // the sort in place of a deleted one

// boot: data that came with the page; of the views only the first ones.
/** @param {Page} page @param {{saved_views: SavedView[]}} boot */
export function startViews(page, boot) {
  const { net: { api }, ui: { language, toasts } } = page;
  let begun = false;
  const saved = new SavedViews({
    ask: () => api.views(),
    send: (ids) => api.orderViews(ids),
    named: (id, name) => language.given.set(`view.${id}`, name),
    changed: (changes) => { if (begun) viewsChanged(page, changes); },
    refused: (error) => toasts.show(refusalOf(error, language.t)),
  });
  saved.take(boot.saved_views ?? []);
  begun = true;
  return saved;
}

/** @param {Page} page @param {ViewChange[]} changes */
function viewsChanged(page, changes) {
  const { data: { lists }, ui: { alerts, painter, toasts, announce, language: { t } } } = page;
  const { navigation } = page.acts;
  const { view, sort } = lists.list;
  for (const { was, now, own } of changes) {
    const id = (was ?? now).id;
    // The server says of a deleted view that it does not exist.
    if (was?.query !== now?.query || was?.timezone !== now?.timezone) lists.renew(id);
    if (id !== view) continue;
    if (was && now && sort === was.sort && sort !== now.sort) navigation.follow(now.sort);
    if (was && !now) announce(t("view.gone", { name: was.name }));
    else if (was && !own) toasts.show(t("view.edited", { name: now.name }));
  }
  painter.ask("nav"); // shows their totals and their order
  if (!changes.length) return;
  alerts.write();
  painter.askAll();
}

// The script that moves views is loaded at the first press on one, or at the first key for it.
/** @param {Page} page */
export function viewDragging(page) {
  const lazy = new Lazy({
    load: async () => {
      const { ViewDrag } = await import("../ui/query/view-drag.js");
      return new ViewDrag(page);
    },
    failed() {}, // views can also be moved in the settings
  });
  return {
    get id() { return lazy.part?.id ?? null; },
    /** @param {PointerEvent} event */
    press(event) {
      lazy.get().then((part) => part?.press(event));
    },
    /** @param {KeyboardEvent} event */
    key(event) {
      const { target, key } = event;
      if (!event.altKey || !/^Arrow(Up|Down)$/.test(key)) return;
      event.preventDefault();
      lazy.get().then((part) => part?.key({ target: /** @type {HTMLElement} */ (target), key }));
    },
  };
}

// Tells a screen reader that a list is being built, and its length afterwards. Called at each painting.
/** @param {Page} page */
export function viewTeller({ data: { lists }, ui: { announce, language } }) {
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

// boot: data that came with the page.
/** @param {Page} page
 * @param {{sorts: string[], saved_sorts: SavedSort[], sorts_by_wait: string[]}} boot */
export function startSorts(page, boot) {
  const { net: { api }, ui: { language } } = page;
  const { sorts: builtIn, saved_sorts: saved, sorts_by_wait: byWait } = boot;
  let begun = false;
  const sorts = new Sorts({
    builtIn,
    ask: () => api.sorts(),
    choose: () => page.ui.palette.open({ sorts: true }),
    named: (name, title) => language.given.set(`sort.${name}`, title),
    changed: (changes) => {
      if (!begun) return;
      for (const { was, now } of changes) noteWait(byWait, (was ?? now).name, now);
      sortsChanged(page, changes);
    },
  });
  sorts.take(saved);
  begun = true;
  return sorts;
}

// On lists that are sorted by the wait, rows also show waits below a minute.
/** @param {string[]} byWait @param {string} name @param {SavedSort | undefined} sort */
function noteWait(byWait, name, sort) {
  const at = byWait.indexOf(name);
  if (at >= 0) byWait.splice(at, 1);
  if (sort?.rules?.some(({ order }) => order === "oldest")) byWait.push(name);
}

/** @param {Page} page @param {SortChange[]} changes */
function sortsChanged({ data: { lists }, ui: { painter }, acts: { navigation } }, changes) {
  for (const { was, now } of changes) {
    const { name } = was ?? now;
    if (was && now && !hasSameRules(was, now)) lists.renewSort(name);
    if (!now && lists.list.sort === name) navigation.follow(DEFAULT_SORT);
  }
  painter.askAll();
}
