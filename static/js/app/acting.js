// What this admin does to threads and may undo, what a screen reader is told of the open one, and
// the admin's own state; loaded with the thread's pane.

import { Arrivals, arrivalText } from "../core/thread/arrivals.js";
import { authorName } from "../ui/elements/avatar.js";
import { ownState } from "../ui/presence/own.js";
import { ThreadActions } from "../ui/thread/actions.js";
import { ColleagueActions } from "../ui/thread/colleague-actions.js";
import { Undoing } from "../ui/thread/undoing.js";

/** @param {ActingParts} parts @returns {Acting} */
export function startActing(parts) {
  const { thread, announce, language, adminId, painter } = parts;
  const who = (message) => authorName(message, thread.row, language.t);
  let last = "";
  const tell = (told) => {
    const text = arrivalText(told, language.t, who);
    // The same text again is read only as a change.
    last = text === last ? `${text}\u00a0` : text;
    announce(last);
  };
  thread.arrivals = new Arrivals({ adminId, tell });
  const undoing = new Undoing(parts);
  painter.ask("nav");
  return {
    undoing,
    actions: new ThreadActions({ ...parts, undoing }),
    colleagueActions: new ColleagueActions(parts),
    ownState,
  };
}
