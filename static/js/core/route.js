// The address of what is shown: /#/PAGE/SORT/THREAD?filter=mine

export const PAGES = ["arrival", "not_respond", "history"];
export const SORTS = ["arrival", "longest_wait", "unanswered_first", "member_status", "priority"];
export const PRIORITIES = ["urgent", "high", "normal", "low"];
export const FILTERS = ["all", "unassigned", "mine"];

// Returns {page, sort, filter, thread}, null for each part that is missing or unknown.
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split("?");
  const [page, sort, thread] = path.split("/");
  const filter = new URLSearchParams(query).get("filter");
  return {
    page: PAGES.includes(page) ? page : null,
    sort: SORTS.includes(sort) ? sort : null,
    filter: FILTERS.includes(filter) ? filter : null,
    thread: /^[1-9]\d{0,11}$/.test(thread ?? "") ? Number(thread) : null,
  };
}

export function format({ page, sort, filter, thread }) {
  const query = filter && filter !== "all" ? `?filter=${filter}` : "";
  return `#/${page}/${sort}${thread ? `/${thread}` : ""}${query}`;
}

export const listKey = ({ page, sort, filter }) => `${page}/${sort}/${filter ?? "all"}`;
