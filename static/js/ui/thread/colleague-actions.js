// Shows what colleagues and the chatbot did to the open thread.

import { shown } from "../../core/shown.js";
import { tagsOf } from "./act-line.js";

const IN_TIME = new Set(["thread.snoozed", "thread.woken", "thread.due"]);

export class ColleagueActions {
  /** @param {ColleagueActionsParts} parts */
  constructor({ alerts, toasts, language, adminId, now }) {
    this.alerts = alerts;
    this.toasts = toasts;
    this.language = language;
    this.adminId = adminId;
    this.now = now;
  }

  // by: {id, name}, or null for the chatbot; cause: a message of the customer or a handoff, which
  // show themselves, as does what time or the customer did to a snooze, and what undoes nothing.
  /** @param {Act} act */
  show(act) {
    const { type, by, priority, cause, until, reason, assignee } = act;
    const { t, words } = this.language;
    const tags = type === "thread.tags_changed" ? tagsOf(act) : null;
    const isNothing = type === "thread.tags_changed" && !tags;
    const isSilent = cause || isNothing || (IN_TIME.has(type) && (!by || (!until && !reason)));
    if (isSilent || by?.id === this.adminId || this.alerts.quiet) return;
    const isGiven = assignee && assignee.id !== by?.id;
    const text = tags ? `did.thread.tags.${tags.kind}` : isGiven ? "did.thread.given" : `did.${type}`;
    this.toasts.show(t(text, {
      ...act,
      ...tags,
      name: by ? t("did.by", by) : t("did.bot"),
      assignee: !assignee ? "" : assignee.id === this.adminId ? t("did.you") : shown(assignee.name),
      priority: priority ? t(`priority.${priority}`) : "",
      time: until ? words.moment(until, this.now()) : "",
    }));
  }
}
