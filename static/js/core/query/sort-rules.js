// The rules of a sort while they are edited.

import { unmarked } from "../find.js";
import { zoneOf } from "../route.js";

export const TIMES = [
  "recent_at", "waiting_since", "first_request_at", "due_at", "created_at", "closed_at", "assigned_at",
];
export const ORDERS = ["oldest", "newest"];
export const SPLITS = ["priority", "member"];
export const NAME_MAX = 32;

let made = 0;

// Returns a rule with its own key, which stays when the rule is moved.
/** @param {Partial<SortRule>} rule @returns {EditedRule} */
export function editedRule({ when = "", by = "recent_at", order = "newest", split = null } = {}) {
  made += 1;
  return { key: made, when, by, order, split };
}

// Returns the rules in the form that the server takes.
/** @param {EditedRule[]} rules @returns {SortRule[]} */
export const rulesOf = (rules) => rules.map(({ when, by, order, split }) => ({
  when: when.trimEnd(), by, order, ...(split && { split }),
}));

// Returns the time zone for the days in these rules: a sort that has days keeps its own; for the first
// days it is the writer's zone.
/** @param {Pick<SavedSort, "rules" | "timezone">} sort @param {SortRule[]} rules */
export const zoneWith = (sort, rules) => (
  zoneOf(textOf(sort.rules ?? [])) ? sort.timezone : zoneOf(textOf(rules))
);

/** @param {{when: string}[]} rules */
const textOf = (rules) => rules.map(({ when }) => when).join(" ");

// Returns the rules with one moved to another place.
/** @template T @param {T[]} rules @param {number} from @param {number} to @returns {T[]} */
export function moved(rules, from, to) {
  const at = Math.min(Math.max(0, to), rules.length - 1);
  const rest = rules.filter((_, index) => index !== from);
  return [...rest.slice(0, at), rules[from], ...rest.slice(at)];
}

// Returns a name for the sort, made from its title for use in addresses: letters, digits, underscores.
/** @param {string} title @param {string[]} taken */
export function nameFor(title, taken) {
  const words = unmarked(title).replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, NAME_MAX - 4);
  const base = /^[a-z]/.test(words) ? words : `sort_${words}`.replace(/_$/, "");
  let name = base;
  for (let number = 2; taken.includes(name); number += 1) name = `${base}_${number}`;
  return name;
}

// Returns the place of a refusal: the index of the rule and its member; null for the sort itself.
/** @param {any} problem */
export function ruleOf(problem) {
  const [, rule, member] = /^\/rules\/(\d+)(?:\/(\w+))?/.exec(problem?.errors?.[0]?.pointer ?? "") ?? [];
  return rule === undefined ? null : { rule: Number(rule), member: member ?? "" };
}

// Compares two orders: for each place the thread before and after, and how far the second one has moved
// up (negative: down; null: it was not among the first).
/** @param {number[]} before @param {number[]} after */
export function compared(before, after) {
  const places = new Map(before.map((id, place) => [id, place]));
  return Array.from({ length: Math.max(before.length, after.length) }, (_, place) => {
    const id = after[place];
    const was = places.get(id);
    return { was: before[place], id, up: was === undefined ? null : was - place };
  });
}
