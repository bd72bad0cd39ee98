// One line below the list where something is wrong: what, since when, what can be done.

import { html } from "lit-html";

export function banner(desk) {
  const notice = noticeOf(desk);
  if (!notice) return "";
  return html`<div class="banner" data-kind=${notice.kind} role="status">
    <span class="banner-text">${notice.text}</span>
    ${notice.action ? html`<button type="button" class="button" @click=${notice.action.run}
      >${notice.action.text}</button>` : ""}</div>`;
}

// The worst first.
function noticeOf(desk) {
  const { t, connection, sync } = desk;
  if (desk.ended === "session") return ended(t);
  if (desk.ended === "protocol") {
    return { kind: "error", text: t("banner.protocol"), action: reload(t) };
  }
  if (!desk.online) return { kind: "warn", text: `${t("banner.offline")} ${asOf(desk)}` };
  if (connection.state === "waiting" || (connection.state === "connecting" && desk.wasConnected)) {
    return {
      kind: "warn",
      text: `${t("banner.reconnecting")} ${asOf(desk)}`,
      action: { text: t("banner.try_now"), run: () => connection.tryNow() },
    };
  }
  if (sync.state === "failed") {
    return { kind: "error", text: `${t("banner.list_failed")} ${asOf(desk)}` };
  }
  if (desk.late !== null) {
    return { kind: "warn", text: t("banner.late", { time: desk.words.clock(desk.late) }) };
  }
  if (desk.presence.late) return { kind: "warn", text: t("presence.delayed") };
  if (desk.failing.length) return failing(desk);
  return null;
}

function failing({ failing: sources, t, words }) {
  const since = Math.min(...sources.map((each) => each.since));
  const names = sources.map(({ source }) => source).join(", ");
  return { kind: "warn", text: t("banner.failing", { sources: names, time: words.clock(since) }) };
}

const ended = (t) => ({
  kind: "error",
  text: t("banner.session"),
  action: {
    text: t("banner.sign_in"),
    run: () => location.assign(`/login?next=${encodeURIComponent(`/${location.hash}`)}`),
  },
});

const reload = (t) => ({ text: t("banner.reload"), run: () => location.reload() });

function asOf({ sync, t, words }) {
  return sync.syncedAt === null ? "" : t("banner.as_of", { time: words.clock(sync.syncedAt) });
}
