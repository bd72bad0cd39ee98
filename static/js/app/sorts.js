// The saved sorts: read from the server, and what the page does as they are added, edited, deleted.

import { hasSameRules, Sorts, sortsOf } from "../core/query/sorts.js";
import { ICONS } from "../ui/elements/icons.js";

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
      changed(parts(), changes);
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
function changed({ lists, navigation, painter }, changes) {
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
