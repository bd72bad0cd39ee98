// The query that a list is: what its filters begin with.

// The conditions of who the threads are assigned to.
const ASSIGNED = { unassigned: "assigned:none", mine: "assigned:me" };

// savedViews: those of the admin; viewQueries: the conditions of the built-in views.
/** @param {ListName} list @param {{of(id: string): {query: string} | undefined}} savedViews
 * @param {Record<string, string>} viewQueries */
export function conditionsOf({ view, query, filter }, savedViews, viewQueries) {
  const conditions = query ?? savedViews.of(view)?.query ?? viewQueries[view] ?? "";
  return [conditions, ASSIGNED[filter] ?? ""].filter(Boolean).join(" ");
}
