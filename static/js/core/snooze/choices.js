// The moments that the snooze menu offers, in words.

import { ownZone } from "../time.js";
import { snoozeChoices } from "./moments.js";

// [{name, at, text: "Tomorrow, Tue 9:00"}, …]
/** @param {number} now @param {Pick<TimeGiven, "t" | "words">} given @param {string} zone */
export function choicesInWords(now, { t, words }, zone = ownZone()) {
  const timeOf = { later: words.clock, monday: (at) => words.dated(at, now) };
  const moment = (at) => words.moment(at, now);
  return snoozeChoices(now, zone).map(({ name, at }) => ({
    name, at, text: t(`snooze.${name}`, { time: (timeOf[name] ?? moment)(at) }),
  }));
}
