// The admin's unsent drafts and replies, stored so that others cannot read them; and the page that is
// shown to anybody after the session has ended.

import { html, render } from "lit-html";

import { channel, randomId, storage } from "../browser.js";
import { SealedStorage } from "../core/sealed-storage.js";
import { Drafts } from "../core/thread/drafts.js";
import { Outbox } from "../core/thread/outbox.js";
import { age } from "../core/time.js";
import { nameOf } from "../ui/elements/avatar.js";
import { refusal } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";

const AGAIN_MS = 10_000; // interval of new tries after failures without a connection

// key: the admin's own key from the server; changed(): called after drafts or replies have changed.
/** @param {Page & { key: string, changed(): void }} page @returns {Promise<Unsent>} */
export async function openUnsent(page) {
  const { key, data: { adminId, thread }, net: { api, connection, connectionState, now } } = page;
  const sealed = (name, ofTab = false) => new SealedStorage({
    storage: storage(ofTab), prefix: `lineup:${name}:${adminId}`, key,
  }).open();
  const [kept, replies, ofTab] = await Promise.all([sealed("draft"), sealed("outbox"), sealed("tab", true)]);
  const drafts = new Drafts({
    storage: kept, adminId, changed: page.changed, now, newId: randomId,
    channel: channel(`lineup:drafts:${adminId}`),
  });
  const received = ({ threadId }, message) => thread.received({ thread_id: threadId, message });
  // A browser that says "offline" may be wrong.
  const mayArrive = () => navigator.onLine || connection.connected;
  let timer = null;
  const again = () => {
    timer = null;
    if (mayArrive()) outbox.retryWaiting({ once: true });
    if (outbox.size) timer = setTimeout(again, AGAIN_MS);
  };
  const outbox = new Outbox({
    send: (item) => api.reply(item),
    token: () => randomId(),
    changed: () => {
      page.changed();
      if (outbox?.size) timer ??= setTimeout(again, AGAIN_MS);
    },
    sent: (item, message) => {
      received(item, message);
      // A reply is refused if the customer has written meanwhile; a note is not, so it settles only what was seen.
      const seen = item.private ? item.seen ?? 0 : Math.max(item.seen ?? 0, message.id);
      if (item.after === "done") finish(item.threadId, seen, page);
      else if (!item.private) offerToTake(item.threadId, page);
    },
    stopped: (item) => tell(item, page),
    moved: (item) => item.unseen.forEach((message) => received(item, message)),
    online: mayArrive,
    adminId,
    now,
  });
  outbox.keepIn(replies);
  const unsent = {
    outbox, drafts, showSessionEnd, tab: tabMemory(ofTab),
    dialog: new UnsentDialog(page),
    counts: () => ({ draft: drafts.list.length, unsent: outbox.late.length }),
    // The mark of a thread's row: "unsent", "draft" or "".
    markOf(threadId) {
      if (outbox.size && outbox.late.some((item) => item.threadId === threadId)) return "unsent";
      return drafts.has(threadId) ? "draft" : "";
    },
  };
  // Other windows may have changed the stored texts.
  const look = async () => {
    const [ofDrafts, ofReplies] = await Promise.all([kept.refresh(), replies.refresh()]);
    ofDrafts.forEach((name) => drafts.taken(name));
    ofReplies.forEach((name) => outbox.taken(name));
  };
  addEventListener("storage", look);
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    drafts.page(true);
    look();
  });
  addEventListener("pagehide", () => {
    outbox.abandon();
    drafts.writer.save();
    drafts.page(false);
  });
  addEventListener("beforeunload", (event) => {
    const isLost = drafts.unsaved || outbox.unsaved || (outbox.size && !connectionState.isLeaving);
    if (isLost && connectionState.ended === null) event.preventDefault();
  });
  if (connection.connected) outbox.retryWaiting();
  return unsent;
}

// What a tab keeps while it is reloaded; it is lost with the page where nothing can be stored.
/** @param {SealedStorage} storage @returns {TabMemory} */
function tabMemory(storage) {
  const keyOf = (name) => `${storage.prefix}:${name}`;
  return {
    read(name) { return JSON.parse(storage.getItem(keyOf(name))); },
    write(name, value) {
      try {
        storage.setItem(keyOf(name), JSON.stringify(value));
      } catch { /* storage is full or forbidden */ }
    },
  };
}

// Tells that a reply of another thread was not sent.
function tell({ threadId }, { data: { thread, rows }, ui: { toasts, language: { t } }, acts: { open } }) {
  if (threadId === thread.id) return;
  const row = rows.get(threadId);
  toasts.show(t("unsent.toast", { name: row ? nameOf(row, t) : `#${threadId}` }), {
    text: t("unsent.open"), run: () => open(threadId),
  });
}

// Follows up a sent reply of "send and done", maybe long after another thread was opened.
// The thread stays on screen if the admin has begun to write there again: the keys would go on in another one.
async function finish(id, seen, { data: { thread, rows }, ui: { threadPane }, acts: { acting } }) {
  const actions = (await acting.get())?.actions;
  const walks = id === thread.id && !threadPane.part?.composer.canSend;
  if (rows.get(id)?.open === false) return walks ? actions?.openNext(id) : undefined;
  return actions?.finish({ id, seen, walks });
}

// Offers to take a thread that nobody has, after a reply in it.
/** @param {number} id @param {Page} page */
function offerToTake(id, { data: { thread, rows }, ui: { toasts, language: { t } }, acts: { acting } }) {
  const isHere = id === thread.id;
  const holds = () => {
    const row = rows.get(id);
    return Boolean(row?.open) && !row.assignee && isHere === (id === thread.id);
  };
  if (!holds()) return;
  const text = isHere ? t("nobody.here") : t("nobody.there", { name: nameOf(rows.get(id), t) });
  const run = async () => (await acting.get())?.actions.claim(id);
  toasts.show(text, { text: t("act.claim"), run }, { about: `nobody:${id}`, holds });
}

// Removes everything from the page after the session has ended, because somebody else may use the
// browser now. Unsent texts are kept.
const signIn = () => location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`);

/** @param {Translate} t @param {string | null} reason "disabled", or null where there is none to tell */
export function showSessionEnd(t, reason) {
  // The parts of the page are gone: no key may reach them.
  window.addEventListener("keydown", (event) => event.stopImmediatePropagation(), true);
  const place = document.createElement("main");
  place.className = "session-end";
  document.body.replaceChildren(place);
  document.title = "Lineup";
  render(html`<div class="banner" data-kind="error" role="alert">
    <span class="banner-text">${t(reason === "disabled" ? "banner.disabled" : "banner.session")}</span>
    <button type="button" class="button" @click=${signIn}>${t("banner.sign_in")}</button></div>`, place);
  place.querySelector("button").focus();
}

// The list of what this admin wrote and has not sent: replies that were refused, held or wait for the
// connection, and drafts.
const ROWS = 100; // whose names are asked for at once

export class UnsentDialog extends PageModule {
  async open() {
    const unsent = await this.acts.unsent.get();
    if (!unsent) return;
    this.ui.dialog.open(() => this.ui.language.t("unsent.title"), () => this.#content(unsent));
    const ids = [...unsent.outbox.list, ...unsent.drafts.list].map(({ threadId }) => threadId);
    const missing = [...new Set(ids)].filter((id) => !this.data.rows.get(id)).slice(0, ROWS);
    if (!missing.length) return;
    const answer = await this.net.api.rows(missing).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.data.rows.put(row);
    this.ui.dialog.paint();
  }

  #content({ outbox, drafts }) {
    const { t } = this.ui.language;
    const replies = outbox.list;
    const kept = drafts.list;
    if (!replies.length && !kept.length) return html`<p class="panel-note">${t("unsent.none")}</p>`;
    return html`
      ${replies.length ? html`<h3 class="unsent-heading">${t("nav.unsent")}</h3>
        <ul class="unsent-list">${replies.map((item) => this.#reply(item, outbox))}</ul>` : ""}
      ${kept.length ? html`<h3 class="unsent-heading">${t("nav.draft")}</h3>
        <ul class="unsent-list">${kept.map((draft) => this.#draft(draft, drafts))}</ul>` : ""}`;
  }

  #reply(item, outbox) {
    const { t } = this.ui.language;
    const state = outbox.stateOf(item);
    const act = (text, run) => html`<button type="button" class="button" @click=${run}
      >${t(text)}</button>`;
    const waits = state === "sending" || state === "queued";
    return this.#item(item, waits ? t(`sending.${state}`) : this.#reason(item), html`
      ${waits ? "" : act(state === "moved" ? "sending.anyway" : "retry",
        () => (state === "moved" ? outbox.confirm(item.token) : outbox.retry(item.token)))}
      ${state === "sending" ? "" : act("sending.take_back", () => {
        this.#go(item.threadId);
        this.ui.threadPane.get().then((pane) => pane?.replies.takeBack(item));
      })}`);
  }

  #reason({ state, problem, unseen }) {
    const { t } = this.ui.language;
    if (state === "moved") return t("sending.moved.text", { count: unseen.length || 1 });
    if (state === "signed-out") return t("sending.signed-out.text");
    return problem === "network" ? t("sending.waiting.text") : refusal(problem, t);
  }

  #draft(draft, drafts) {
    const { t, words } = this.ui.language;
    const kind = t(draft.private ? "composer.note" : "composer.reply");
    const about = `${kind} · ${words.long(age(draft.at, this.net.now()))}`;
    return this.#item(draft, about, "", () => drafts.take(draft.threadId, draft.key));
  }

  // opened(): what follows when the thread is opened.
  #item({ threadId, body, state }, about, acts, opened = () => {}) {
    const { t } = this.ui.language;
    const row = this.data.rows.get(threadId);
    return html`<li class="unsent-item" data-state=${state ?? "draft"} data-thread=${threadId}>
      <button type="button" class="unsent-open" @click=${() => {
        this.#go(threadId);
        opened();
      }}>
        <bdi translate="no" class="unsent-name">${row ? nameOf(row, t) : `#${threadId}`}</bdi>
        <span class="unsent-about">${about}</span>
        <span class="unsent-body" dir="auto">${body}</span></button>
      <span class="unsent-acts">${acts}</span></li>`;
  }

  #go(threadId) {
    this.ui.dialog.close();
    this.acts.open(threadId);
  }
}
