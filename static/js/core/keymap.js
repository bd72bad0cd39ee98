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
  r: "reply", e: "thread:done", w: "explain", i: "customer", x: "pick:toggle", "/": "search",
  "?": "help",
};
// Named keys work without the letters' switch, where the list may take them.
const LIST_KEYS = {
  ArrowDown: "list:next", ArrowUp: "list:previous", Home: "list:top", End: "list:end",
  PageDown: "list:page-down", PageUp: "list:page-up", Enter: "list:open",
  "Shift+ArrowDown": "pick:down", "Shift+ArrowUp": "pick:up", "Ctrl+a": "pick:all",
};
// These work everywhere, in a text too.
const ANYWHERE = {
  Escape: "back", "Ctrl+k": "palette", F6: "pane:next", "Shift+F6": "pane:previous",
  "Alt+Shift+ArrowDown": "unread:next", "Alt+Shift+ArrowUp": "unread:previous",
};

// What the help shows: [keys, name of the text].
export const HELP = [
  [["↑", "↓"], "list:walk"], [["j", "k"], "list:walk"], [["Enter", "o"], "list:open"],
  [["Home", "g g"], "list:top"], [["End"], "list:end"], [["PageUp", "PageDown"], "list:pages"],
  [["Alt Shift ↑", "Alt Shift ↓"], "unread"], [["."], "thread:show"], [["p"], "list:pause"],
  [["x"], "pick:toggle"], [["Shift ↑", "Shift ↓"], "pick:range"], [["Ctrl A"], "pick:all"],
  [["r"], "reply"], [["Ctrl Enter"], "send"], [["/"], "canned"], [["e"], "thread:done"],
  [["i"], "customer"], [["w"], "explain"], [["/"], "search"], [["Ctrl K"], "palette"],
  [["F6"], "pane"], [["Esc"], "back"],
  [["g a"], "page:arrival"], [["g n"], "page:not_respond"], [["g h"], "page:history"],
  [["s a"], "sort:arrival"], [["s l"], "sort:longest_wait"], [["s u"], "sort:unanswered_first"],
  [["s m"], "sort:member_status"], [["s p"], "sort:priority"], [["?"], "help"],
];

// The keys of a text of the help as they are written there, or "".
export const keysOf = (name) => HELP.find(([, other]) => other === name)?.[0].at(-1) ?? "";

export class Keymap {
  lettersOn = true;
  #first = null;
  #until = 0;

  // stroke: {key, ctrl, alt, meta, shift, composing}; where: {field, control} tells what has focus.
  // Returns a verb or null.
  press(stroke, where, now) {
    if (stroke.composing) return null;
    const name = nameOf(stroke);
    if (ANYWHERE[name]) return ANYWHERE[name];
    if (where.field) return null;
    if (LIST_KEYS[name]) return where.control ? null : LIST_KEYS[name];
    if (stroke.ctrl || stroke.alt || stroke.meta) return null;
    return this.lettersOn ? this.#letter(stroke.key, now) : null;
  }

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

function nameOf({ key, ctrl, alt, meta, shift }) {
  const held = [ctrl || meta ? "Ctrl" : "", alt ? "Alt" : "", shift ? "Shift" : ""];
  return [...held.filter(Boolean), key.length === 1 ? key.toLowerCase() : key].join("+");
}
