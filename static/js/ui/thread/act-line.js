// A line of the conversation about an act: what was done to the thread, by whom and when.

import { html } from "lit-html";

import { shown } from "../../core/names.js";

/** @param {Act} act */
export function actLine(act, { t, words, adminId, now }) {
  return html`<li class="act-line" data-act=${act.id} data-type=${kindOf(act)}>
    <span>${actText(act, { t, words, adminId, now })}</span> ·
    <time datetime=${new Date(act.at).toISOString()} title=${words.exact(act.at)}
    >${words.clock(act.at)}</time></li>`;
}

const kindOf = ({ type }) => type.replace("thread.", "");

// Returns what was done, in one sentence.
/** @param {Act} act */
export function actText(act, given) {
  const text = withoutNote(act, given);
  return act.note ? given.t("did.line.note", { text, note: act.note }) : text;
}

function withoutNote(act, given) {
  const { t, adminId } = given;
  if (act.cause) return t(`did.line.${act.cause}`);
  const name = (admin) => (admin.id === adminId ? t("author.you") : shown(admin.name));
  const by = act.by ? name(act.by) : t("did.bot");
  const queue = queueText(act, { t, adminId });
  if (queue) return queue;
  const timed = timedText(act, by, given);
  if (timed) return timed;
  if (kindOf(act) === "tags_changed") {
    const tags = tagsOf(act);
    return t(tags ? `did.line.tags.${tags.kind}` : "did.line.undone", { name: by, ...tags });
  }
  if (kindOf(act) === "priority_changed") {
    return t("did.line.priority_changed", { name: by, priority: t(`priority.${act.priority}`) });
  }
  if (act.assignee && act.assignee.id !== act.by?.id) {
    const to = act.assignee.id === adminId ? t("did.you") : name(act.assignee);
    return t("did.line.given", { name: by, assignee: to });
  }
  return t(`did.line.${kindOf(act)}`, { ...act, name: by });
}

// Returns the text about a queue that gave the thread to somebody, or to which it went back; "" for other acts.
/** @param {Act} act @param {{t: Translate, adminId: number}} given */
export function queueText({ queue, returned, by, assignee, previous }, { t, adminId }) {
  if (!queue) return "";
  const name = (admin, you) => (!admin ? t("author.team") : admin.id === adminId ? t(you) : shown(admin.name));
  const isTaken = returned === "released" && previous && previous.id !== by?.id;
  return t(`did.queue.${isTaken ? "taken" : returned ?? (by ? "took" : "gave")}`, {
    queue: shown(queue.name), name: name(by, "author.you"), assignee: name(previous ?? assignee, "did.you"),
  });
}

// Returns the added and removed tags as values for a text; null if the act changed nothing.
/** @param {{added?: string[], removed?: string[]}} act */
export function tagsOf({ added, removed }) {
  if (!added && !removed) return null;
  const kind = added && removed ? "both" : added ? "added" : "removed";
  return { kind, added: (added ?? []).join(", "), removed: (removed ?? []).join(", ") };
}

// Returns the text about a snooze, its end or a missed due time; "" for other acts. An undo that changes
// nothing has neither a moment nor a reason.
function timedText(act, name, { t, words, now }) {
  const { type, until, wake, reason, due_at: dueAt, target, policy } = act;
  if (type === "thread.due") {
    const time = words.moment(dueAt, now);
    return policy ? t(`did.line.due.${target}`, { time, policy: shown(policy) }) : t("did.line.due", { time });
  }
  if (type !== "thread.snoozed" && type !== "thread.woken") return "";
  if (reason) return t(`did.line.woken.${reason}`, { name });
  if (!until) return t("did.line.undone", { name });
  const text = t("did.line.snoozed", { name, time: words.moment(until, now) });
  return wake === "never" ? `${text} · ${t("snooze.wakes.never")}` : text;
}

// Merges messages and acts into one line, as {message} or {act}; at the same time, the message comes first.
/** @param {Message[]} messages @param {Act[]} acts */
export function merged(messages, acts) {
  const line = [];
  let next = 0;
  for (const message of messages) {
    while (next < acts.length && acts[next].at < message.at) line.push({ act: acts[next++] });
    line.push({ message });
  }
  return [...line, ...acts.slice(next).map((act) => ({ act }))];
}
