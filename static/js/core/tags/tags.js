// The tags of threads: what may be one, how many of some threads have one, and what is offered.

import { matching } from "../find.js";
import { plain } from "../folding.js";
import { FIELDS } from "../query/fields.js";

const ALLOWED = /^[\p{L}\p{M}\p{N}-]+$/u;

// The tag that a text stands for, in one width, with hyphens in place of blanks; "" where it is none.
/** @param {string} text @param {number} charactersMax */
export function tagOf(text, charactersMax) {
  const tag = [...text].map((one) => (ALLOWED.test(plain(one)) ? plain(one) : one)).join("")
    .normalize("NFC").trim().toLowerCase().replace(/[\s_]+/gu, "-");
  const isOne = ALLOWED.test(tag) && !FIELDS.tag.words.includes(tag);
  return isOne && [...tag].length <= charactersMax ? tag : "";
}

// "all", "some" or "none": how many of the threads have a tag.
/** @param {string[][]} tagsOfThreads @param {string} tag @returns {TagShare} */
export function shareOf(tagsOfThreads, tag) {
  const count = tagsOfThreads.filter((tags) => tags.includes(tag)).length;
  if (!count) return "none";
  return count === tagsOfThreads.length ? "all" : "some";
}

// Those of the threads first, then the others that are in use; each by name.
/** @param {string[][]} tagsOfThreads @param {string[]} inUse @returns {string[]} */
export function ordered(tagsOfThreads, inUse) {
  const own = new Set(tagsOfThreads.flat());
  const others = new Set(inUse.filter((tag) => !own.has(tag)));
  const byName = (one, other) => one.localeCompare(other);
  return [...[...own].sort(byName), ...[...others].sort(byName)];
}

// The tags that match what is typed and, where it is another tag, that one as a new one.
/** @param {string[]} tags @param {string} query @param {number} charactersMax */
export function offered(tags, query, charactersMax) {
  const found = matching(tags.map((tag) => ({ text: tag })), query)
    .map(({ text }) => ({ tag: text, isNew: false }));
  const typed = tagOf(query, charactersMax);
  return typed && !tags.includes(typed) ? [...found, { tag: typed, isNew: true }] : found;
}

// What is to be added and removed once a tag was switched in a draft of changes: on for all threads, or
// off where all have it.
/** @param {TagChanges} changes @param {string} tag @param {TagShare} share @returns {TagChanges} */
export function switched({ add, remove }, tag, share) {
  const isOn = add.includes(tag) || (share === "all" && !remove.includes(tag));
  const without = (tags) => tags.filter((one) => one !== tag);
  return {
    add: isOn || share === "all" ? without(add) : [...add, tag],
    remove: isOn && share !== "none" ? [...without(remove), tag] : without(remove),
  };
}
