// What the key `t` does with a thread, in words.

/** @param {Row} row @param {number} adminId @param {Translate} t */
export function claimText({ assignee }, adminId, t) {
  if (!assignee) return t("act.claim");
  return t(assignee.id === adminId ? "act.release" : "act.take_over");
}
