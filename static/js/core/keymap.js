// Maps keys to verbs, with chords of two keys. Pure: time is a parameter.

import { PLACES } from "./places.js";

export const CHORD_MS = 1500;

// Chooses the second key of a chord for each name: its first letter that no earlier name has.
function chordsOf(kind, names, taken = {}) {
  const chords = { ...taken };
  for (const name of names) {
    const letter = [...name.replace(/[^a-z]/g, "")].find((each) => !(each in chords));
    if (letter) chords[letter] = `${kind}:${name}`;
  }
  return chords;
}

const LETTERS = {
  j: "list:next", k: "list:previous", o: "list:open", ".": "thread:show", p: "list:pause",
  r: "reply", n: "note", t: "thread:claim", a: "thread:hand", l: "thread:tag", e: "thread:done", h: "thread:snooze", z: "undo",
  w: "explain", q: "queues:next", O: "queues:open",
  i: "customer", x: "pick:toggle", "/": "search", "?": "help", m: "match:next", M: "match:previous",
  F: "filters",
  ...Object.fromEntries(PLACES.map((name, at) => [at + 1, `view:${name}`])),
};
// Named keys also work while single-letter keys are switched off, unless a control has the focus.
const LIST_KEYS = {
  ArrowDown: "list:next", ArrowUp: "list:previous", Home: "list:top", End: "list:end",
  PageDown: "list:page-down", PageUp: "list:page-up", Enter: "list:open",
  "Shift+ArrowDown": "pick:down", "Shift+ArrowUp": "pick:up", "Ctrl+a": "pick:all",
};
// These keys work everywhere, also in text fields.
const ANYWHERE = {
  Escape: "back", "Ctrl+k": "palette", "Ctrl+p": "print", F3: "match:next", "Shift+F3": "match:previous", F6: "pane:next", "Shift+F6": "pane:previous",
  "Alt+Shift+ArrowDown": "unread:next", "Alt+Shift+ArrowUp": "unread:previous",
};
// The keys of the former filters, which are places today.
const BY_ASSIGNEE = { a: "view:arrival", u: "view:unassigned", m: "view:mine" };
// The first saved views by their numbers.
const SAVED = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [at + 1, `saved:${at + 1}`]));

// The groups of the help, each with keys and the verb that names their text.
const HELP = {
  go: [
    [["/"], "search"], [["Shift F"], "filters"], [["g v"], "views"], [["g 1", "g 9"], "saved"],
    [["Alt ↑", "Alt ↓"], "views:move"],
  ],
  list: [
    [["↑", "↓"], "list:walk"], [["j", "k"], "list:walk"], [["Enter", "o"], "list:open"],
    [["Home", "g g"], "list:top"], [["End"], "list:end"], [["PageUp", "PageDown"], "list:pages"],
    [["Alt Shift ↑", "Alt Shift ↓"], "unread"], [["."], "thread:show"], [["p"], "list:pause"],
    [["x"], "pick:toggle"], [["Shift ↑", "Shift ↓"], "pick:range"], [["Ctrl A"], "pick:all"],
  ],
  thread: [
    [["t"], "thread:claim"], [["a"], "thread:hand"], [["h"], "thread:snooze"], [["e"], "thread:done"],
    [["q"], "queues:next"], [["Shift O"], "queues:open"],
    [["l"], "thread:tag"], [["i"], "customer"], [["w"], "explain"], [["F3", "m"], "match:next"],
    [["Shift F3", "Shift M"], "match:previous"], [["Ctrl P"], "print"],
  ],
  write: [
    [["r"], "reply"], [["n"], "note"], [["Ctrl Enter"], "send"], [["Ctrl Shift Enter"], "send:done"],
    [["Ctrl Alt Enter"], "send:next"], [["/"], "canned"], [["F2"], "suggestion"],
  ],
  page: [[["Ctrl K"], "palette"], [["Ctrl Z", "z"], "undo"], [["F6"], "pane"], [["Esc"], "back"], [["?"], "help"]],
};
export const HELP_GROUPS = Object.keys(HELP);
// The groups of the chords.
const CHORDS = { g: "go", s: "list", u: "thread" };

export class Keymap {
  lettersOn = true;
  #chords;
  #first = null;
  #until = 0;

  /** @param {Choices} parts */
  constructor({ sorts, priorities }) {
    this.#chords = {
      g: chordsOf("view", PLACES, { g: "list:top", v: "views", ...SAVED }),
      s: chordsOf("sort", sorts, { "/": "sorts" }),
      f: BY_ASSIGNEE,
      u: chordsOf("priority", priorities),
    };
  }

  // The entries of a group of the help, or of all: [keys, verb].
  /** @param {string | null} group */
  helpOf(group = null) {
    if (!group) return HELP_GROUPS.flatMap((each) => this.helpOf(each));
    const chords = Object.keys(CHORDS).filter((first) => CHORDS[first] === group)
      .flatMap((first) => Object.entries(this.#chords[first])
        .filter(([, verb]) => !/^(list:top|views|saved:.*)$/.test(verb))
        .map(([second, verb]) => [[...placeKeys(verb), `${first} ${second}`], verb]));
    return group === "go" ? [...chords, ...HELP[group]] : [...HELP[group], ...chords];
  }

  // The keys of a verb as the help shows them, or "".
  /** @param {string} verb */
  keysOf(verb) { return this.helpOf().find(([, other]) => other === verb)?.[0].at(-1) ?? ""; }

  // stroke: {key, code, ctrl, alt, meta, shift, altGraph, composing}; where: {field, control} says which
  // kind of element has the focus.
  // Returns a verb or null.
  /** @param {number} now */
  press(stroke, where, now) {
    if (stroke.composing) return null;
    const name = nameOf(stroke);
    if (ANYWHERE[name]) return ANYWHERE[name];
    if (where.field) return null;
    if (name === "Ctrl+z") return "undo"; // fields have one of their own
    if (LIST_KEYS[name]) return where.control ? null : LIST_KEYS[name];
    if (stroke.ctrl || stroke.alt || stroke.meta) return null;
    return this.lettersOn ? this.#letter(written(stroke), now) : null;
  }

  #letter(key, now) {
    const first = now < this.#until ? this.#first : null;
    this.#first = null;
    if (first && this.#chords[first][key]) return this.#chords[first][key];
    if (this.#chords[key]) {
      this.#first = key;
      this.#until = now + CHORD_MS;
      return null;
    }
    return LETTERS[key] ?? null;
  }
}

// The digit of a place.
const placeKeys = (verb) => {
  const at = PLACES.findIndex((name) => verb === `view:${name}`);
  return at < 0 ? [] : [String(at + 1)];
};

function nameOf(stroke) {
  const { key, ctrl, alt, meta, shift } = stroke;
  const held = [ctrl || meta ? "Ctrl" : "", alt ? "Alt" : "", shift ? "Shift" : ""];
  return [...held.filter(Boolean), isSign(key) ? written(stroke).toLowerCase() : key].join("+");
}

const written = (stroke) => letterOf({ ...stroke, shiftKey: stroke.shift });
const isSign = (key) => [...key].length === 1;

// Returns the letter or sign of a key: the one that it types, if it is Latin or a sign, regardless of
// Caps Lock; else the one at its place on an American keyboard.
/** @param {{key: string, code?: string, shiftKey?: boolean, altGraph?: boolean}} stroke */
export function letterOf({ key, code = "", shiftKey: shift = false, altGraph = false }) {
  if (/^[a-z]$/i.test(key)) return shift ? key.toUpperCase() : key.toLowerCase();
  if (!isSign(key) || altGraph) return key;
  // Keyboards that write digits with Shift have other signs there.
  if (!shift && /^Digit\d$/.test(code) && !/[./?]/.test(key)) return code.at(-1);
  if (/^[\p{ASCII}\p{Script=Latin}]$/u.test(key)) return key;
  const place = { Period: ".", Slash: shift ? "?" : "/" }[code] ?? /^(?:Key|Digit|Numpad)(\w)$/.exec(code)?.[1];
  return place ? shift ? place.toUpperCase() : place.toLowerCase() : key;
}
