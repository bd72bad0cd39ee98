// The address of a list and a thread: /#/VIEW/SORT/THREAD?filter=mine, where VIEW is built-in or saved
// (v17), or /#/query/SORT/THREAD?query=is:open for the list of a query that is not saved.

import { ownZone } from "./time.js";

const SAVED = /^v[1-9]\d{0,11}$/;
// Stands for the view of a list that is defined only by its query.
export const QUERY = "query";

/** @param {string} view */
export const isSaved = (view) => SAVED.test(view);

// Returns {view, query, sort, filter, thread}; null for missing and unknown values.
export function parse(hash, { views, sorts, filters }) {
  const [path, given = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [view, sort, thread] = path.split("/");
  const more = new URLSearchParams(given);
  const filter = more.get("filter");
  const query = view === QUERY ? more.get("query")?.trim() || null : null;
  const known = views.includes(view) || isSaved(view) || query !== null;
  return {
    view: known ? view : null,
    query,
    sort: sorts.includes(sort) ? sort : null,
    filter: filters.includes(filter) ? filter : null,
    thread: /^[1-9]\d{0,11}$/.test(thread ?? "") ? Number(thread) : null,
  };
}

/** @param {ListName & {thread?: number | null}} place */
export function format({ view, query, sort, filter, thread }) {
  const more = new URLSearchParams({
    ...(query && { query }), ...(filter && filter !== "all" && { filter }),
  });
  return `#/${view}/${sort}${thread ? `/${thread}` : ""}${more.size ? `?${more}` : ""}`;
}

// Frames for the list of a query name no view.
/** @param {Partial<ListName>} list */
export const listKey = ({ view, query, sort, filter }) => (
  `${query ? `${QUERY} ${query}` : view}/${sort}/${filter ?? "all"}`
);

// Returns the writer's time zone for a query that names days; other queries need none.
/** @param {string} query */
export const zoneOf = (query) => (/\b(created|closed):/i.test(query) ? ownZone() : undefined);

// Returns the list in the form in which the server is asked for it.
/** @param {ListName} list */
export function listCall({ view, query, sort, filter }) {
  if (!query) return { view, sort, filter };
  const timezone = zoneOf(query);
  return timezone ? { query, sort, filter, timezone } : { query, sort, filter };
}
