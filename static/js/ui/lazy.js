// Parts of the page whose scripts are loaded when they are first asked for.

export class Lazy {
  part = null;
  #loading = null;

  // load: () → the part; failed is told where the script could not be brought.
  constructor({ load, failed }) {
    Object.assign(this, { load, failed });
  }

  // The part, or null where it could not be loaded; the next time it is tried anew.
  async get() {
    if (this.part) return this.part;
    this.#loading ??= this.load();
    try {
      this.part = await this.#loading;
    } catch {
      this.#loading = null;
      this.failed();
    }
    return this.part;
  }
}

// Puts a stand-in on the desk, which shows nothing; its verb brings the part, which takes its place.
// field: the part begins with a field, and what is typed ahead is meant for it.
export function standIn(desk, name, verb, load, { field = false } = {}) {
  const failed = () => desk.toasts.show(desk.t("error.network"));
  const lazy = new Lazy({ load, failed });
  desk[name] = {
    shown: false,
    paint() {},
    async [verb](...given) {
      const typed = field ? keepTyping() : () => [];
      const part = await lazy.get();
      const keys = typed();
      if (!part || !keys) return;
      desk[name] = part;
      part[verb](...given);
      keys.forEach(type);
    },
  };
}

// Keeps keys from the single letters. Returns what ends this and gives them; null: Esc was pressed.
function keepTyping() {
  let keys = [];
  const keep = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") keys = null;
    else if (keys?.at(-1) !== "Enter") keys?.push(event.key);
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", keep, true);
  return () => {
    document.removeEventListener("keydown", keep, true);
    return keys;
  };
}

function type(key) {
  if (key.length === 1) document.execCommand("insertText", false, key);
  else if (key === "Backspace") document.execCommand("delete");
  else document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}
