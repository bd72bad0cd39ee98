// The filters of the audit log, in the page's address and in requests; and the texts of an
// entry.

import { midnight, ownZone } from "../core/time.js";

const NAMES = ["action", "actor", "target", "from", "to"];
const DAY = /^\d{4}-\d\d-\d\d$/;

/** @typedef {{action: string, actor: string, target: string, from: string, to: string}} Filters */

// Empty members are no filters; `from` and `to` are days, both included.
/** @param {string} search @returns {Filters} */
export function fromAddress(search) {
  const given = new URLSearchParams(search);
  const filters = /** @type {Filters} */ (Object.fromEntries(
    NAMES.map((name) => [name, given.get(name)?.trim() ?? ""]),
  ));
  for (const name of /** @type {const} */ (["from", "to"])) {
    if (!DAY.test(filters[name]) || Number.isNaN(midnight(filters[name], 0, ownZone()))) filters[name] = "";
  }
  return filters;
}

/** @param {Filters} filters */
export function toAddress(filters) {
  const given = new URLSearchParams(NAMES.filter((name) => filters[name])
    .map((name) => [name, filters[name]]));
  return given.size ? `?${given}` : "";
}

// Returns the members of a request; days are those of the admin's time zone.
/** @param {Filters} filters */
export function toRequest({ action, actor, target, from, to }) {
  return {
    ...(action && { action }), ...(actor && { actor }), ...(target && { target }),
    ...(from && { from: midnight(from, 0, ownZone()) }), ...(to && { to: midnight(to, 1, ownZone()) }),
  };
}

const TIMES = new Set(["since", "until", "expires_at"]);
// Fields with values that have texts.
const NAMED = new Set(["admins", "events", "load", "method", "mode", "owner", "reason", "role", "second_factor"]);

// data: of an entry; time: formats milliseconds.
/** @param {Record<string, any>} data @param {Translate} t @param {{format(at: number): string}} time */
export function linesOf(data, t, time) {
  return Object.entries(data).map(([name, value]) => {
    const said = (one) => valueOf(name, one, t, time);
    const text = isChange(value)
      ? t("audit.changed", { from: said(value.from), to: said(value.to) }) : said(value);
    return { name: t.named("audit.field", name), text };
  });
}

const isChange = (value) => value !== null && typeof value === "object"
  && Object.keys(value).join() === "from,to";

function valueOf(name, value, t, time) {
  if (value === null || value === "" || value.length === 0) return t("audit.none");
  if (typeof value === "boolean") return t(value ? "audit.yes" : "audit.no");
  if (typeof value === "number") return TIMES.has(name) ? time.format(value) : t.number(value);
  if (typeof value === "object") return structure(value);
  return NAMED.has(name) ? t.named("audit.value", value) : value;
}

// Formats a value such as `mon: 09:00, 12:00; 13:00, 17:00`: semicolons separate inner lists.
function structure(value) {
  if (value === null || typeof value !== "object") return String(value ?? "–");
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([name, one]) => `${name}: ${structure(one) || "–"}`).join(", ");
  }
  return value.map(structure).join(value.some((one) => typeof one === "object") ? "; " : ", ");
}
