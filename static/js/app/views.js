// The saved views: read from the server, and what the page does as they are added, edited, deleted.

import { SavedViews } from "../core/list/saved-views.js";
import { Lazy } from "../ui/elements/lazy.js";
import { refusalOf } from "../ui/elements/refusal.js";

// boot: what the page brought, of views the first ones; parts() is called once something changed.
/** @param {StartViewsParts} given @returns {SavedViews} */
export function startViews({ boot, api, language, toasts, parts }) {
  let begun = false;
  const saved = new SavedViews({
    builtIn: boot.views,
    ask: () => api.views(),
    send: (ids) => api.orderViews(ids),
    named: (id, name) => language.given.set(`view.${id}`, name),
    changed: (changes) => { if (begun) changed(parts(), changes); },
    refused: (error) => toasts.show(refusalOf(error, language.t)),
  });
  saved.take(boot.saved_views ?? []);
  begun = true;
  return saved;
}

/** @param {ViewsChangedParts} parts @param {ViewChange[]} changes */
function changed(parts, changes) {
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
      const { ViewDrag } = await import("../ui/views/drag.js");
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
