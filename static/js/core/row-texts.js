// The place of a thread and its acts in words.

import { shown } from "./names.js";
import { timeLeft } from "./time.js";

const MAIN_DESK = "main"; // the desk that always exists; rows do not name it

/** @param {Pick<Row, "desk">} row */
export const deskOf = ({ desk }) => (desk === MAIN_DESK ? "" : desk);

// The text for the key `t`: claim, take over or release the thread.
/** @param {Row} row @param {number} adminId @param {Translate} t */
export function claimText({ assignee }, adminId, t) {
  if (!assignee) return t("act.claim");
  return t(assignee.id === adminId ? "act.release" : "act.take_over");
}

// The text of a row's preview, without its author.
/** @param {NonNullable<Row["preview"]>} preview @param {Translate} t */
export const previewText = ({ body, deleted }, t) => body.replace(/\s+/g, " ")
  || t(deleted ? "message.deleted" : "row.attachment");

// Snoozes and due times in words.

// "16m left", "5m late"
/** @param {number} dueAt @param {TimeGiven} given */
export function dueText(dueAt, { t, words, now }) {
  const left = timeLeft(dueAt, now);
  const kind = left.late ? "late" : "left";
  if (left.unit === "now") return t(`due.${kind}.now`);
  return t(`due.${kind}`, { time: words.short(left, "") });
}

// "16m left, due Tue 9:40"
/** @param {number} dueAt @param {TimeGiven} given */
export const dueAtText = (dueAt, given) => given.t("due.at", {
  left: dueText(dueAt, given), time: given.words.moment(dueAt, given.now),
});

// Texts say "you" for the admin's own acts.
/** @param {Person | null} by @param {TimeGiven} given */
const isMine = (by, { adminId }) => by !== null && by.id === adminId;
/** @param {Person | null} by @param {TimeGiven} given */
const nameOf = (by, { t }) => (by ? shown(by.name) : t("author.team"));

// "Woken, snoozed by Mai"
/** @param {NonNullable<Row["woken"]>} woken @param {TimeGiven} given */
export function wokenText({ reason, by }, given) {
  const { t } = given;
  return isMine(by, given) ? t(`woken.${reason}.you`) : t(`woken.${reason}`, { name: nameOf(by, given) });
}

// "Snoozed until Tue 9:40 by Mai"
/** @param {NonNullable<Row["snooze"]>} snooze @param {TimeGiven} given */
export function snoozedText({ until, by }, given) {
  const { t, words, now } = given;
  const time = words.moment(until, now);
  return isMine(by, given) ? t("snoozed.until.you", { time })
    : t("snoozed.until", { time, name: nameOf(by, given) });
}
