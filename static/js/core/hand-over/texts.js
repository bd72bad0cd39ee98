// Where a thread stands and what is done with it, in words.

const MAIN_DESK = "main"; // there always is this one: it is not named on rows

/** @param {Pick<Row, "desk">} row */
export const deskOf = ({ desk }) => (desk === MAIN_DESK ? "" : desk);

// What the key `t` does with a thread, in words.

/** @param {Row} row @param {number} adminId @param {Translate} t */
export function claimText({ assignee }, adminId, t) {
  if (!assignee) return t("act.claim");
  return t(assignee.id === adminId ? "act.release" : "act.take_over");
}
