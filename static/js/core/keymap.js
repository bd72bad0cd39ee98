// Keys to verbs, with chords of two keys. Pure: time comes in as a parameter.

export const CHORD_MS = 1500;

const CHORDS = {
  g: { a: "page:arrival", n: "page:not_respond", h: "page:history", g: "list:top" },
  s: {
    a: "sort:arrival", l: "sort:longest_wait", u: "sort:unanswered_first",
    m: "sort:member_status", p: "sort:priority",
  },
};
const LETTERS = {
  j: "list:next", k: "list:previous", o: "list:open", ".": "thread:show", p: "list:pause",
  r: "reply", e: "thread:done", w: "explain", "?": "help",
};
// Named keys work without the letters' switch; those of the list only where the list may take them.
const LIST_KEYS = {
  ArrowDown: "list:next", ArrowUp: "list:previous", Home: "list:top", End: "list:end",
  PageDown: "list:page-down", PageUp: "list:page-up", Enter: "list:open",
};

// What the help shows: [keys, name of the text].
export const HELP = [
  [["↑", "↓"], "list:walk"], [["j", "k"], "list:walk"], [["Enter", "o"], "list:open"],
  [["Home", "g g"], "list:top"], [["End"], "list:end"], [["PageUp", "PageDown"], "list:pages"],
  [["."], "thread:show"], [["p"], "list:pause"], [["r"], "reply"],
  [["Ctrl Enter"], "send"], [["e"], "thread:done"], [["w"], "explain"], [["Esc"], "back"],
  [["g a"], "page:arrival"], [["g n"], "page:not_respond"], [["g h"], "page:history"],
  [["s a"], "sort:arrival"], [["s l"], "sort:longest_wait"], [["s u"], "sort:unanswered_first"],
  [["s m"], "sort:member_status"], [["s p"], "sort:priority"], [["?"], "help"],
];

export class Keymap {
  lettersOn = true;
  #first = null;
  #until = 0;

  // stroke: {key, ctrl, alt, meta, composing}; where: {field, control, list} tells what has focus.
  // Returns a verb or null.
  press(stroke, where, now) {
    if (stroke.composing || stroke.ctrl || stroke.alt || stroke.meta) return null;
    if (stroke.key === "Escape") return "back";
    if (where.field) return null;
    const named = LIST_KEYS[stroke.key];
    if (named) return where.control ? null : named;
    return this.lettersOn ? this.#letter(stroke.key, now) : null;
  }

  get pending() { return this.#first; }

  #letter(key, now) {
    const first = now < this.#until ? this.#first : null;
    this.#first = null;
    if (first && CHORDS[first][key]) return CHORDS[first][key];
    if (CHORDS[key]) {
      this.#first = key;
      this.#until = now + CHORD_MS;
      return null;
    }
    return LETTERS[key] ?? null;
  }
}
