// What this admin wrote and has not sent: drafts and replies, kept where others cannot read them;
// and what the page shows to whoever sits there when the session has ended.

import { channel, randomId, storage } from "../browser.js";
import { SealedStorage } from "../core/sealed-storage.js";
import { Drafts } from "../core/thread/drafts.js";
import { Outbox } from "../core/thread/outbox.js";
import { nameOf } from "../ui/elements/avatar.js";
import { refusalOf } from "../ui/elements/refusal.js";
import { ownItems } from "../ui/notices/own-items.js";
import { UnsentDialog } from "../ui/notices/unsent-dialog.js";
import { showSessionEnd } from "../ui/shell/session-end.js";

const AGAIN_MS = 10_000; // what failed for lack of a connection is tried again this often

// key: the admin's own, from the server; retry(): whether unsent replies can be sent now;
// asks(): whether closing the page may ask; changed(): drafts or replies did.
/** @param {UnsentParts} given @returns {Promise<Unsent>} */
export async function openUnsent(given) {
  const { adminId, key, thread, now, retry } = given;
  const sealed = (name) => new SealedStorage({
    storage: storage(), prefix: `lineup:${name}:${adminId}`, key,
  }).open();
  const [kept, replies] = await Promise.all([sealed("draft"), sealed("outbox")]);
  const drafts = new Drafts({
    storage: kept, adminId, changed: given.changed, now, newId: randomId,
    channel: channel(`lineup:drafts:${adminId}`),
  });
  const received = ({ threadId }, message) => thread.received({ thread_id: threadId, message });
  // A browser that says "offline" may be wrong.
  const mayArrive = () => navigator.onLine || retry();
  let timer = null;
  const again = () => {
    timer = null;
    if (mayArrive()) outbox.retryWaiting({ once: true });
    if (outbox.size) timer = setTimeout(again, AGAIN_MS);
  };
  const outbox = new Outbox({
    send: (item) => given.api.reply(item),
    token: () => randomId(),
    changed: () => {
      given.changed();
      if (outbox?.size) timer ??= setTimeout(again, AGAIN_MS);
    },
    sent: (item, message) => {
      received(item, message);
      if (item.after === "done") finish(item.threadId, Math.max(item.seen ?? 0, message.id), given);
    },
    stopped: (item) => tell(item, given),
    moved: (item) => item.unseen.forEach((message) => received(item, message)),
    online: mayArrive,
    adminId,
    now,
  });
  outbox.keepIn(replies);
  const unsent = {
    outbox, drafts, showSessionEnd,
    dialogOf: (parts) => new UnsentDialog(parts),
    items: (dialog) => ownItems(
      { unsent: outbox.late.length, draft: drafts.list.length }, dialog, given.language.t,
    ),
    // What a row shows of it: "unsent", "draft" or "".
    markOf(threadId) {
      if (outbox.size && outbox.late.some((item) => item.threadId === threadId)) return "unsent";
      return drafts.has(threadId) ? "draft" : "";
    },
  };
  // Other windows may have changed what is kept.
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
    drafts.page(false);
  });
  addEventListener("beforeunload", (event) => {
    const isLost = drafts.unsaved || outbox.unsaved || (outbox.size && !given.isReload());
    if (isLost && given.asks()) event.preventDefault();
  });
  if (retry()) outbox.retryWaiting();
  return unsent;
}

// A reply of a thread that is not on screen was not sent.
function tell({ threadId }, { thread, rows, toasts, open, language: { t } }) {
  if (threadId === thread.id) return;
  const row = rows.get(threadId);
  toasts.show(t("unsent.toast", { name: row ? nameOf(row, t) : `#${threadId}` }), {
    text: t("unsent.open"), run: () => open(threadId),
  });
}

// The reply of "send and done" was sent, maybe long after another thread was opened.
async function finish(id, seen, { thread, rows, api, acting, toasts, language }) {
  const actions = id === thread.id ? (await acting.get())?.actions : null;
  if (rows.get(id)?.open === false) return actions?.openNext(id);
  if (actions) return actions.finish(seen);
  try {
    rows.put((await api.close(id, seen)).row);
  } catch (error) {
    toasts.show(refusalOf(error, language.t));
  }
  return undefined;
}
