// Stores an admin's texts in the browser so that only this admin can read them: encrypted with a key
// that the server gives to nobody else. Other users of the browser find no text.

const MARK = "1."; // begins each encrypted text; other texts were stored by an earlier release
const PROOF = "lineup"; // begins each text; a text decrypted with another key does not begin so
const COUNTER_BYTES = 16;
const BLOCK_BYTES = 16;
const PAD_BYTES = 128 * 1024;

export class SealedStorage {
  #texts = new Map();
  #raw = new Map(); // key → stored text, as this window last wrote or read it
  #late = new Set(); // keys with texts that wait for a pad
  #key = null;
  #pad = null; // {counter, bytes}: encrypts the next texts; each byte is used once
  #making = null;

  // prefix: of its keys in storage; key: base64 of random bytes and of the key combined with them.
  /** @param {SealedStorageOptions} options */
  constructor({ storage, prefix, key, crypto = globalThis.crypto }) {
    this.storage = storage;
    this.prefix = prefix;
    this.rawKey = key;
    this.crypto = crypto;
  }

  // Reads the stored texts; before this none is found. Returns itself.
  async open() {
    try {
      const raw = unmasked(bytesOf(this.rawKey));
      this.#key = await this.crypto.subtle.importKey("raw", raw, "AES-CTR", false, ["encrypt"]);
    } catch {
      return this; // without https nothing can be encrypted, so nothing is stored
    }
    await Promise.all(this.#keptKeys().map((key) => this.take(key, this.#read(key))));
    await this.#makePad();
    return this;
  }

  // Takes a change by another window; null: removed.
  async take(key, kept) {
    if (!this.#isOwn(key)) return;
    if (kept === null) this.#raw.delete(key);
    else this.#raw.set(key, kept);
    const text = kept === null ? null : await this.#opened(kept);
    if ((this.#raw.get(key) ?? null) !== kept) return; // there is a newer text by now
    if (text === null) this.#texts.delete(key);
    else this.#texts.set(key, text);
    if (text !== null && !kept.startsWith(MARK)) this.setItem(key, text);
  }

  // Reads changes by other windows that came without an event, such as while this page was frozen. Returns
  // their keys.
  async refresh() {
    const keys = [...new Set([...this.#keptKeys(), ...this.#raw.keys()])];
    const changed = keys.filter((key) => !this.isCurrent(key));
    await Promise.all(changed.map((key) => this.take(key, this.#read(key))));
    return changed;
  }

  // Whether the stored text is the one that this window last wrote or read.
  /** @param {string} key */
  isCurrent(key) { return (this.#raw.get(key) ?? null) === this.#read(key); }

  keys() { return [...this.#texts.keys()]; }
  getItem(key) { return this.#texts.get(key) ?? null; }

  // Writes at once, so that it works while the page closes. Throws if storage is full or nothing can be
  // encrypted; the text is found until the page is closed.
  setItem(key, text) {
    this.#texts.set(key, text);
    if (!this.#key) throw new Error("nothing can be encrypted");
    const bytes = new TextEncoder().encode(PROOF + text);
    const pad = this.#pad;
    if (!pad || bytes.length > pad.bytes.length) {
      this.#late.add(key);
      this.#makePad(bytes.length);
      return;
    }
    this.#pad = rest(pad, bytes.length);
    this.#late.delete(key);
    if (this.#pad.bytes.length < PAD_BYTES / 2) this.#makePad();
    const sealed = bytes.map((byte, at) => byte ^ pad.bytes[at]);
    const raw = MARK + base64([...pad.counter, ...sealed]);
    this.storage.setItem(key, raw);
    this.#raw.set(key, raw);
  }

  removeItem(key) {
    this.#texts.delete(key);
    this.#late.delete(key);
    this.#raw.delete(key);
    this.storage.removeItem(key);
  }

  #isOwn(key) { return key === this.prefix || Boolean(key?.startsWith(`${this.prefix}:`)); }

  #keptKeys() {
    try {
      return Object.keys(this.storage).filter((key) => this.#isOwn(key));
    } catch {
      return []; // storage is forbidden here
    }
  }

  #read(key) {
    try {
      return this.storage.getItem(key);
    } catch {
      return null;
    }
  }

  // Resolves to null for a text that cannot be read with this key.
  async #opened(kept) {
    if (!kept.startsWith(MARK)) return kept;
    try {
      const bytes = bytesOf(kept.slice(MARK.length));
      const sealed = bytes.subarray(COUNTER_BYTES);
      const plain = await this.#encrypt(bytes.slice(0, COUNTER_BYTES), sealed);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(plain);
      return text.startsWith(PROOF) ? text.slice(PROOF.length) : null;
    } catch {
      return null;
    }
  }

  // Makes the bytes that encrypt the next text, then encrypts the texts that wait for them.
  #makePad(leastBytes = 0) {
    this.#making ??= this.#newPad(Math.max(PAD_BYTES, leastBytes)).then((pad) => {
      this.#making = null;
      this.#pad = pad;
      const [key] = this.#late;
      if (key === undefined) return;
      try {
        this.setItem(key, this.#texts.get(key));
      } catch {
        this.#late.delete(key); // storage is full: the text is lost when the page is closed
      }
    }, () => { this.#making = null; });
    return this.#making;
  }

  async #newPad(size) {
    const counter = this.crypto.getRandomValues(new Uint8Array(COUNTER_BYTES));
    return { counter, bytes: await this.#encrypt(counter, new Uint8Array(size)) };
  }

  // Encrypting twice restores the text.
  async #encrypt(counter, bytes) {
    const how = { name: "AES-CTR", counter, length: 64 };
    return new Uint8Array(await this.crypto.subtle.encrypt(how, this.#key, bytes));
  }
}

// Returns the rest of a pad: the whole blocks after those that were used.
function rest({ counter, bytes }, used) {
  const blocks = Math.ceil(used / BLOCK_BYTES);
  const next = counter.slice();
  const view = new DataView(next.buffer);
  const at = next.length - 8; // the last 8 bytes count the blocks
  view.setBigUint64(at, BigInt.asUintN(64, view.getBigUint64(at) + BigInt(blocks)));
  return { counter: next, bytes: bytes.subarray(blocks * BLOCK_BYTES) };
}

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// The key comes combined with random bytes, so that no two pages contain the same text.
/** @param {Uint8Array<ArrayBuffer>} bytes */
function unmasked(bytes) {
  const middle = bytes.length / 2;
  return bytes.slice(middle).map((byte, at) => byte ^ bytes[at]);
}

const base64 = (bytes) => btoa(bytes.map((byte) => String.fromCharCode(byte)).join(""));
