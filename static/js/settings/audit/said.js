// What an entry of the audit log says, as lines of a name and a text.

const TIMES = new Set(["since", "until", "expires_at"]);
// Fields whose values are names of ours, with texts.
const NAMED = new Set(["reason", "role", "method", "second_factor"]);

// data: of an entry; time: formats milliseconds.
/** @param {Record<string, any>} data @param {Translate} t @param {Intl.DateTimeFormat} time */
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

// Such as `mon: 09:00, 12:00; 13:00, 17:00`: inner lists are separated by semicolons.
function structure(value) {
  if (value === null || typeof value !== "object") return String(value ?? "–");
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([name, one]) => `${name}: ${structure(one) || "–"}`).join(", ");
  }
  return value.map(structure).join(value.some((one) => typeof one === "object") ? "; " : ", ");
}
