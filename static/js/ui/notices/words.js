// Notices in words: by the name of the customer, of the colleague, and the first words.

import { shown } from "../../core/shown.js";
import { calledBy } from "../elements/avatar.js";

const LINES = 4; // of one notification

/** @param {Notice} notice @param {Translate} t */
const facts = ({ customer, thread_id: id, by, text }, t) => ({
  name: shown(calledBy(customer?.name, customer?.id ?? String(id), t)), by: by ? shown(by.name) : "",
  text: shown(text || t("row.attachment")),
});

// In the page: one sentence.
/** @param {Notice} notice @param {Translate} t */
export function toastText(notice, t) {
  const kind = notice.kind === "assigned" && !notice.by ? "assigned.nobody" : notice.kind;
  return t(`notice.${kind}`, facts(notice, t));
}

// A line of a notification of the system.
/** @param {Notice} notice @param {Translate} t */
export function entryOf(notice, t) {
  const { name, by, text } = facts(notice, t);
  const said = notice.kind === "message" || !by ? text
    : t(notice.kind === "mention" ? "notice.mention.by" : "notice.assigned.by", { by, text });
  return { id: notice.thread_id, name, text: said, at: notice.at };
}

// The name and the text of one customer, or a line for each.
/** @param {{name: string, text: string}[]} entries @param {Translate} t */
export function saying(entries, t) {
  if (entries.length === 1) return { title: entries[0].name, body: entries[0].text };
  const lines = entries.slice(0, LINES).map(({ name, text }) => `${name}: ${text}`);
  return { title: t("notify.many", { count: entries.length }), body: lines.join("\n") };
}
