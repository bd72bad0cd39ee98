// The line below the list while something is wrong: what, since when, and what the admin can do.

import { html } from "lit-html";

const LITTLE = 50; // actions on fewer threads end so soon that no progress is shown

/** @param {Page} page */
export function banner(page) {
  const notice = noticeOf(page);
  if (!notice) return "";
  return html`<div class="banner" data-kind=${notice.kind} role="status">
    <span class="banner-text">${notice.text}</span>
    ${(notice.actions ?? []).map(({ text, run }) => html`<button type="button" class="button"
      @click=${run}>${text}</button>`)}</div>`;
}

// Returns the most serious notice.
/** @param {Page} page */
function noticeOf(page) {
  const { lists: { sync }, presence } = page.data;
  const { net: { connectionState, connection, liveness }, ui: { language } } = page;
  const { t, words } = language;
  if (connectionState.ended === "protocol") {
    return { kind: "error", text: t("banner.protocol"), actions: [reload(t)] };
  }
  if (!connectionState.online || connectionState.downMs) return unconnected(page);
  const { silentSince } = liveness;
  if (silentSince !== null) {
    return {
      kind: "warn",
      text: t("banner.silent", { time: words.clock(silentSince) }),
      actions: [{ text: t("banner.try_now"), run: () => connection.renew() }],
    };
  }
  if (sync.state === "failed") {
    return { kind: "error", text: `${t("banner.list_failed")} ${asOf(sync, language)}` };
  }
  const { lateSince, readOnly } = connectionState;
  if (readOnly) return { kind: "warn", text: t("banner.read_only") };
  if (lateSince !== null) {
    return { kind: "warn", text: t("banner.late", { time: words.clock(lateSince) }) };
  }
  if (presence.late) return { kind: "warn", text: t("presence.delayed") };
  const picked = picking(page);
  if (picked) return picked;
  if (connectionState.failing.length) return failing(connectionState.failing, page.net.now(), language);
  return page.data.hold.paused ? {
    kind: "info", text: t("banner.paused"),
    actions: [{ text: t("banner.resume"), run: () => page.data.movement.togglePause() }],
  } : null;
}

// There is no connection: the browser has no network, or the server is out of reach.
function unconnected({
  data: { lists: { sync } },
  net: { connectionState, connection },
  ui: { language },
}) {
  const { t, words } = language;
  const { isDownLong, online } = connectionState;
  const text = isDownLong
    ? t("banner.down", { time: words.clock(connection.downSince) })
    : t(online ? "banner.reconnecting" : "banner.offline");
  const actions = [
    ...(connection.connected ? [] : [{ text: t("banner.try_now"), run: () => connection.tryNow() }]),
    ...(isDownLong ? [{ text: t("banner.reload_page"), run: () => connectionState.reload() }] : []),
  ];
  return { kind: "warn", text: isDownLong ? text : `${text} ${asOf(sync, language)}`, actions };
}

// The progress of an action on many threads, or the offer to select more.
function picking({ ui: { picks, bulk, language: { t } }, acts: { acting } }) {
  const undone = acting?.part?.undoing.progress;
  const progress = undone ?? bulk.part?.progress;
  if (progress) {
    const { done, total } = progress;
    if (total - done <= LITTLE && !done) return null;
    return {
      kind: "info",
      text: t(undone ? "undo.progress" : "bulk.progress", { done: t.number(done), total: t.number(total) }),
      actions: undone ? [] : [{ text: t("bulk.stop"), run: () => bulk.part.stop() }],
    };
  }
  const { offer } = picks;
  if (!offer) return null;
  const total = t.number(offer.total);
  if (offer.loading) return { kind: "info", text: t("loading") };
  return {
    kind: "info",
    text: t("pick.loaded", { count: offer.count, total }),
    actions: [{ text: t("pick.whole", { total }), run: () => picks.whole() }],
  };
}

// Deliveries are repeated for days, so the time has its day.
function failing(sources, now, { t, words }) {
  const since = Math.min(...sources.map((each) => each.since));
  const names = sources.map(({ source }) => source).join(", ");
  return { kind: "warn", text: t("banner.failing", { sources: names, time: words.moment(since, now) }) };
}

const reload = (t) => ({ text: t("banner.reload"), run: () => location.reload() });

function asOf(sync, { t, words }) {
  return sync.syncedAt === null ? "" : t("banner.as_of", { time: words.clock(sync.syncedAt) });
}
