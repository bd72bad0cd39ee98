// Parts of the page whose scripts are loaded at their first use.

export class Lazy {
  part = null;
  #load;
  #failed;
  #loading = null;

  // load: () → the part; failed() tells the admin that a requested part could not be loaded.
  constructor({ load, failed = () => {} }) {
    this.#load = load;
    this.#failed = failed;
  }

  // Resolves to the part, or to null if it could not be loaded; the next call tries again.
  async get() {
    const part = await this.preload();
    if (!part) this.#failed();
    return part;
  }

  // Like get(), for a part that nobody has requested yet: a failure is not told.
  async preload() {
    if (this.part) return this.part;
    this.#loading ??= this.#load();
    try {
      this.part = await this.#loading;
    } catch {
      this.#loading = null;
    }
    return this.part;
  }
}

// A pane or dialog that shows nothing until its verb (`open` or `toggle`) has loaded it.
export class LazyPane {
  #lazy;
  #hasField;
  #asked = null; // the verb to run once the part is loaded, with its arguments

  // hasField: the part begins with a field, or takes letters: it gets the keys pressed while it loads.
  constructor({ load, failed, hasField = false }) {
    this.#lazy = new Lazy({ load, failed });
    this.#hasField = hasField;
  }

  get shown() { return this.#lazy.part?.shown ?? false; }
  preload() { return this.#lazy.preload(); }
  paint() { this.#lazy.part?.paint(); }
  back() { this.#lazy.part?.back(); }
  close() { this.#lazy.part?.close(); }
  open(...given) { return this.#run("open", given); }
  toggle() { return this.#run("toggle", []); }

  #run(verb, given) {
    const { part } = this.#lazy;
    return part ? part[verb](...given) : this.#loadAndRun(verb, given);
  }

  // A key that is pressed again while its dialog loads opens the dialog only once.
  async #loadAndRun(...asked) {
    const isLoading = this.#asked !== null;
    this.#asked = asked;
    if (isLoading) return;
    const typed = this.#hasField ? keepTyping() : () => [];
    const part = await this.#lazy.get();
    const [verb, given] = this.#asked;
    this.#asked = null;
    const keys = typed();
    if (!part || !keys) return;
    part[verb](...given);
    keys.forEach(type);
  }
}

// Collects the keys pressed from now on. Returns a function that ends this and returns the keys,
// or null if Esc was pressed.
function keepTyping() {
  let keys = [];
  const keep = (event) => {
    const isComposed = event.isComposing || event.keyCode === 229 || event.key === "Dead";
    if (isComposed || event.ctrlKey || event.metaKey || event.altKey) return;
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
  const isField = document.activeElement?.matches("input, textarea");
  if (isField && key.length === 1) document.execCommand("insertText", false, key);
  else if (isField && key === "Backspace") document.execCommand("delete");
  else document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}
