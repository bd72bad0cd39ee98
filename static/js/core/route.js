// The address of a list and a thread: /#/VIEW/SORT/THREAD, where VIEW is a place or a saved view (v17), or
// /#/query/SORT/THREAD?query=is:open for the list of a query that is not saved. ?at=2026-11-23T14:02:10.000Z is the
// list as it was at that moment, &span=day how much its slider shows.

import { conditionsOf, placeOf, PLACES, wireOf } from "./places.js";
import { ownZone } from "./time.js";

const SAVED = /^v[1-9]\d{0,11}$/;
// Stands for the view of a list that is defined only by its query.
export const QUERY = "query";
const FILTERS = ["unassigned", "mine"];

/** @param {string} view */
export const isSaved = (view) => SAVED.test(view);

// Returns {view, query, sort, filter, thread, at, span}; null for missing and unknown values. Older addresses have a
// filter beside the view.
export function parse(hash, { sorts }) {
  const [path, given = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [view, sort, thread] = path.split("/");
  const more = new URLSearchParams(given);
  const filter = more.get("filter");
  const query = view === QUERY ? more.get("query")?.trim() || null : null;
  const known = PLACES.includes(view) || isSaved(view) || query !== null;
  return {
    view: known ? view : null,
    query,
    sort: sorts.includes(sort) ? sort : null,
    filter: FILTERS.includes(filter) ? filter : null,
    thread: /^[1-9]\d{0,11}$/.test(thread ?? "") ? Number(thread) : null,
    at: Date.parse(more.get("at")) || null,
    span: more.get("span"),
  };
}

// Returns what an older address names today: the place of its view and filter, or the query that finds
// the same threads.
/** @param {ReturnType<typeof parse>} given */
export function withoutFilter({ filter, ...wanted }, savedViews, viewQueries) {
  if (!filter || !wanted.view) return wanted;
  const view = placeOf(wanted.view, filter);
  if (view !== wanted.view) return { ...wanted, view };
  if (isSaved(view) && !savedViews.of(view)) return wanted;
  return { ...wanted, view: QUERY, query: conditionsOf({ ...wanted, filter }, savedViews, viewQueries) };
}

/** @param {ListName & {thread?: number | null, at?: number | null, span?: string | null}} list */
export function format({ view, query, sort, thread, at, span }) {
  const more = new URLSearchParams({ ...(query && { query }), ...(at && { at: timestamp(at), ...(span && { span }) }) });
  return `#/${view}/${sort}${thread ? `/${thread}` : ""}${more.size ? `?${more}` : ""}`;
}

/** @param {number} at */
export const timestamp = (at) => new Date(at).toISOString();

// Takes a list of the page, or what the server says of one. Frames for the list of a query name no view.
/** @param {Partial<ListName> & {filter?: string}} list */
export const listKey = ({ view, query, sort, filter }) => (
  `${query ? `${QUERY} ${query}` : placeOf(view, filter)}/${sort}`
);

// Returns the writer's time zone for a query that names days; other queries need none.
/** @param {string} query */
export const zoneOf = (query) => (/\b(created|closed):/i.test(query) ? ownZone() : undefined);

// Returns the list in the form in which the server is asked for it.
/** @param {ListName} list */
export function listCall({ view: name, query, sort }) {
  const { view, filter } = wireOf(name);
  if (!query) return { view, sort, filter };
  const timezone = zoneOf(query);
  return timezone ? { query, sort, filter: "all", timezone } : { query, sort, filter: "all" };
}

// The address of an uploaded file at the server.
/** @param {string} id */
export const fileUrl = (id) => `/admin/api/files/${id}`;
