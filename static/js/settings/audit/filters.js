// The filters of the audit log, as the page's address has them and as the server is asked with them.

import { ownZone } from "../../core/time.js";
import { momentOf } from "../../core/zone.js";

const NAMES = ["action", "actor", "target", "from", "to"];
const DAY = /^\d{4}-\d\d-\d\d$/;

/** @typedef {{action: string, actor: string, target: string, from: string, to: string}} Filters */

// What is empty is no filter; `from` and `to` are days, both included.
/** @param {string} search @returns {Filters} */
export function fromAddress(search) {
  const given = new URLSearchParams(search);
  const filters = /** @type {Filters} */ (Object.fromEntries(
    NAMES.map((name) => [name, given.get(name)?.trim() ?? ""]),
  ));
  for (const name of /** @type {const} */ (["from", "to"])) {
    if (!DAY.test(filters[name]) || Number.isNaN(midnight(filters[name]))) filters[name] = "";
  }
  return filters;
}

/** @param {Filters} filters */
export function toAddress(filters) {
  const given = new URLSearchParams(NAMES.filter((name) => filters[name])
    .map((name) => [name, filters[name]]));
  return given.size ? `?${given}` : "";
}

// The members of a request; days are those of one's own time zone.
/** @param {Filters} filters */
export function toRequest({ action, actor, target, from, to }) {
  return {
    ...(action && { action }), ...(actor && { actor }), ...(target && { target }),
    ...(from && { from: midnight(from) }), ...(to && { to: midnight(to, 1) }),
  };
}

function midnight(day, later = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return momentOf({ year, month, day: date + later, hour: 0, minute: 0 }, ownZone());
}
