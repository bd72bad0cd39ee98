// The places of the left column: lists that everybody has. A place is a view of the server, with or without
// the filter by assignee that the server knows beside a view.

const ALL = "all";
const MINE = "mine";
const UNASSIGNED = "unassigned";

/** @type {Record<string, {view: string, filter: string}>} */
const TABLE = {
  mine: { view: "arrival", filter: MINE },
  unassigned: { view: "arrival", filter: UNASSIGNED },
  not_respond: { view: "not_respond", filter: ALL },
  arrival: { view: "arrival", filter: ALL },
  snoozed: { view: "snoozed", filter: ALL },
  mentions: { view: "mentions", filter: ALL },
  history: { view: "history", filter: ALL },
};

// The conditions of the filters.
/** @type {Record<string, string>} */
const CONDITIONS = { [MINE]: "assigned:me", [UNASSIGNED]: "assigned:none" };

// The names of the places, in their order. Each has an icon of its name.
export const PLACES = Object.keys(TABLE);

// Returns the view and the filter by which the server knows a place; other views have no filter.
/** @param {string} view */
export const wireOf = (view) => TABLE[view] ?? { view, filter: ALL };

// Returns the place of a view and a filter; the view itself if it is none.
/** @param {string | undefined} view @param {string | undefined} filter */
export const placeOf = (view, filter) => PLACES.find((name) => (
  TABLE[name].view === view && TABLE[name].filter === (filter ?? ALL))) ?? view;

// Returns the conditions of a list; a place has those of its view and of its filter.
// savedViews: the admin's; viewQueries: the conditions of the server's own views.
/** @param {{view: string, query?: string | null, filter?: string | null}} list
 * @param {{of(id: string): {query: string} | undefined}} savedViews
 * @param {Record<string, string>} viewQueries */
export function conditionsOf({ view: name, query, filter }, savedViews, viewQueries) {
  const wire = wireOf(name);
  const conditions = query ?? savedViews.of(name)?.query ?? viewQueries[wire.view] ?? "";
  return [conditions, CONDITIONS[filter ?? wire.filter] ?? ""].filter(Boolean).join(" ");
}
