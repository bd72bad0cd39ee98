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
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  return NAMED.has(name) ? t.named("audit.value", value) : value;
}
