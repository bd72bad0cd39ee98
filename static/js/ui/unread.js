// The next thread with unanswered messages, above or below the open one.

const AT_ONCE = 100;
const FAR = 1000; // rows that are looked through

export async function nextUnread(desk, step) {
  const { listing, listPane, rows, api } = desk;
  if (!listing.ready) return;
  const { view } = listing;
  const start = view.indexOf(listing.activeId ?? desk.threadId ?? -1);
  let index = start < 0 && step < 0 ? view.length - 1 : start + step;
  for (let seen = 0; seen < FAR && index >= 0 && index < view.length; seen += 1, index += step) {
    if (!rows.get(view.idAt(index))) await fetchFrom(view, index, step, rows, api);
    if (listing !== desk.listing) return;
    if (rows.get(view.idAt(index))?.unanswered > 0) {
      listPane.activate(index);
      desk.open(listing.activeId);
      return;
    }
  }
  desk.toasts.show(desk.t("unread.none"));
}

async function fetchFrom(view, index, step, rows, api) {
  const ids = Array.from({ length: AT_ONCE }, (_, ahead) => view.idAt(index + ahead * step))
    .filter((id) => id !== undefined && !rows.get(id));
  const answer = await api.rows(ids).catch(() => ({ rows: [] }));
  for (const row of answer.rows) rows.put(row);
}
