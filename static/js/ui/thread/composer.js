// Where a reply or a note is written. Its text survives switching threads, reloading and signing in
// again; each thread keeps one of both kinds.

import { html, render } from "lit-html";

import { WaitingSend } from "../../core/files/waiting-send.js";
import { tokenAfter } from "../../core/thread/outbox.js";
import { composerTemplate, sendText } from "./composer-template.js";

const SAVE_MS = 300;
// Control characters that the server refuses: all but line breaks and tabs.
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

export class Composer {
  #threadId = null;
  #private = false;
  #aside = ""; // the text of the other kind
  #saved = false;
  #touched = false; // something was written since the draft is shown
  #timer = null;

  /** @param {ComposerParts} parts */
  constructor(parts) {
    const {
      root, thread, drafts, replies, canned, mentions, mode, hold, prefs, now, painter, language,
      bodyMax, reading, guard, attaching,
    } = parts;
    this.root = root;
    this.thread = thread;
    this.drafts = drafts;
    this.replies = replies;
    this.canned = canned;
    this.mentions = mentions;
    this.mode = mode;
    this.hold = hold;
    this.prefs = prefs;
    this.now = now;
    this.painter = painter;
    this.language = language;
    this.bodyMax = bodyMax;
    this.reading = reading;
    this.guard = guard;
    this.attaching = attaching;
    this.sending = new WaitingSend({ thread, attaching, send: (after) => this.send(after) });
    attaching.isPrivate = () => this.#private;
    attaching.changed = (threadId) => this.#filesChanged(threadId);
    attaching.focus = () => this.focus();
    drafts.writer = this;
    addEventListener("pagehide", () => this.save());
  }

  get field() { return this.root.querySelector("textarea"); }
  get isPrivate() { return this.#private; }
  get canSend() { return Boolean(this.field?.value.trim() || this.attaching.items.length); }
  /** @param {string} after */
  sendText(after) { return sendText(this.#private, after, this.language.t); }

  // kind: "reply" or "note"; without it the one that is shown.
  focus(kind) {
    if (this.thread.id !== this.#threadId) this.paint();
    if (kind && this.#private !== (kind === "note")) this.#swap();
    this.field?.focus();
  }

  paint() {
    const { thread } = this;
    const shown = thread.id !== null && thread.state !== "missing";
    if (thread.id !== this.#threadId) {
      this.save();
      if (this.#threadId !== null) this.drafts.leave(this.#threadId);
      this.#take(thread.id);
    }
    this.reading.settle();
    this.guard.look(thread.id);
    render(shown ? composerTemplate(this) : "", this.root);
    if (shown && this.field.dataset.thread !== String(thread.id)) {
      this.field.dataset.thread = thread.id;
      this.field.value = this.drafts.get(thread.id).body;
    }
  }

  // Puts text that was taken back in front of the draft.
  /** @param {OutboxItem} item */
  put(item) {
    const { threadId, body, private: isPrivate, seen, files = [], tries, failed } = item;
    const isShown = threadId === this.#threadId && Boolean(this.field);
    if (isShown) this.save();
    else this.drafts.open(threadId);
    const draft = this.drafts.get(threadId);
    const other = draft.private === isPrivate ? this.drafts.asideOf(threadId) : draft.body;
    const own = draft.private === isPrivate ? draft.body : this.drafts.asideOf(threadId);
    const both = [body, own].filter(Boolean).join("\n");
    const token = tries || failed ? tokenAfter(item) : this.drafts.tokenOf(threadId);
    this.drafts.put(threadId, { body: both, private: isPrivate, aside: other, seen, token });
    if (files.length) this.attaching.uploads.putBack(threadId, files);
    if (isShown) {
      this.#show();
      this.#touch();
    } else this.drafts.leave(threadId);
    this.painter.ask("composer");
  }

  // The latest draft of the thread that stands elsewhere: another window's, or an earlier one.
  get other() { return this.drafts.otherOf(this.#threadId); }

  /** @param {string} key */
  goOnWith(key) {
    this.drafts.take(this.#threadId, key);
    this.focus();
  }

  // Whether something was written here since the draft is shown.
  /** @param {number} threadId */
  isTouched(threadId) { return threadId === this.#threadId && this.#touched; }

  // Another draft of the thread, or none, is to be shown.
  /** @param {number} threadId */
  show(threadId) {
    if (threadId === this.#threadId && this.field) this.#show();
  }

  // after: what follows: "stay", "done" or "next".
  send(after = "stay") {
    const { value } = this.field;
    const body = value.toWellFormed().replace(CONTROLS, "");
    const threadId = this.#threadId;
    const isPrivate = this.#private;
    if (this.sending.holds(threadId, isPrivate, after)) return this.focus();
    const { uploads } = this.attaching;
    if (!body.trim() && !uploads.stateOf(threadId, isPrivate).count) {
      this.replies.confirm(threadId);
      return this.focus();
    }
    if ([...body].length > this.bodyMax) return this.focus();
    if (!isPrivate && this.guard.holds(threadId)) {
      this.replies.held(this.guard.held);
      this.painter.ask("composer");
      return this.focus();
    }
    const again = () => {
      if (this.#threadId === threadId && this.#private && this.field?.value === value) this.send(after);
    };
    if (isPrivate && this.mentions.holds(body, again)) return this.focus();
    const seen = this.guard.seenId(threadId);
    const files = uploads.take(threadId, isPrivate);
    const mentions = isPrivate ? this.mentions.take(threadId, body) : [];
    const token = this.drafts.tokenOf(threadId);
    this.replies.post({ threadId, body, isPrivate, seen, after, files, mentions, token });
    this.field.value = "";
    clearTimeout(this.#timer);
    this.guard.release();
    this.mentions.told = [];
    this.reading.end();
    this.#reportMode(true);
    this.drafts.drop(threadId);
    this.#touched = false;
    this.focus();
    this.painter.ask("composer");
    return after === "next" ? this.replies.next(threadId) : undefined;
  }

  // By its button: the text goes along, unless the other kind has one of its own.
  /** @param {boolean} isPrivate */
  choose(isPrivate) {
    if (isPrivate === this.#private) return this.focus();
    this.sending.stop();
    if (this.#aside.trim()) this.#swap();
    else {
      this.#private = isPrivate;
      this.#touch();
      this.attaching.uploads.move(this.#threadId, isPrivate);
      this.save();
      this.painter.ask("composer");
    }
    return this.focus();
  }

  // What was not touched here is left as it is: another window may go on with it.
  save(id = this.#threadId) {
    if (id !== this.#threadId) return;
    clearTimeout(this.#timer);
    if (!this.#touched || id === null || this.field?.dataset.thread !== String(id)) return;
    this.#saved = this.drafts.put(id, {
      body: this.field.value, private: this.#private, aside: this.#aside, seen: this.reading.base,
    });
    this.painter.ask("composer");
  }

  left() {
    this.canned.close();
    this.mentions.close();
    this.painter.ask("composer");
  }

  typed() {
    this.canned.typed(this.field);
    if (this.#private) this.mentions.typed(this.field);
    else this.mentions.close();
    this.#saved = false;
    this.#touch();
    this.#read();
    this.#reportMode(true);
    this.hold.typed(this.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), SAVE_MS);
    this.painter.ask("composer");
  }

  // Enter that ends the composition of an input method does not send, nor does a key held down.
  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (this.canned.key(event, this.field) || this.mentions.key(event, this.field)) return;
    const held = event.ctrlKey || event.metaKey;
    const enter = this.prefs.kept.send_key === "enter" && !event.shiftKey && !event.altKey;
    if (event.key !== "Enter" || !(held || enter)) return;
    event.preventDefault();
    if (event.repeat) return;
    this.send(event.shiftKey ? "done" : event.altKey ? "next" : "stay");
  }

  // Whether the draft is kept, for the line beside the button.
  get isSaved() { return this.#saved; }

  #take(threadId) {
    this.#threadId = threadId;
    this.mentions.told = [];
    this.#saved = false;
    this.#touched = false;
    clearTimeout(this.#timer);
    this.sending.stop();
    if (threadId !== null) {
      this.drafts.open(threadId);
      this.attaching.uploads.restore(threadId, this.drafts.filesOf(threadId));
    }
    const draft = threadId === null ? { body: "", private: false } : this.drafts.get(threadId);
    this.#private = draft.private;
    this.#aside = threadId === null ? "" : this.drafts.asideOf(threadId);
    const hasText = Boolean(draft.body.trim());
    if (hasText || this.#aside || this.attaching.items.length) this.reading.begin(this.drafts.seenOf(threadId));
    else this.reading.end();
    this.mode.draft({ hasText });
  }

  #filesChanged(threadId) {
    if (threadId !== this.#threadId || !this.field) return;
    this.#read();
    this.sending.look(threadId, this.#private);
  }

  // The draft that is shown is this window's from now on.
  #touch() {
    this.#touched = true;
    this.drafts.claim(this.#threadId);
  }

  // What came since the draft began counts as unread.
  #read() {
    const hasContent = this.field.value || this.#aside || this.drafts.filesOf(this.#threadId).length;
    if (!hasContent) this.reading.end();
    else if (this.reading.base === null) this.reading.begin();
  }

  // Shows the other kind with its own text: what was written for the team never becomes a reply.
  #swap() {
    const { field } = this;
    const body = this.#aside;
    this.sending.stop();
    this.#aside = field?.value ?? "";
    this.#private = !this.#private;
    if (field) field.value = body;
    this.#touch();
    if (body && this.reading.base === null) this.reading.begin();
    this.save();
    this.#reportMode(false);
    this.painter.ask("composer");
  }

  #show() {
    this.#take(this.#threadId);
    this.field.value = this.drafts.get(this.#threadId).body;
    this.painter.ask("composer");
  }

  // Reports to colleagues in the thread that something is being written, and where.
  #reportMode(typed) {
    const field = this.#private ? "note" : "reply";
    const cursor = { message_id: null, field, position: this.field?.selectionEnd ?? 0 };
    this.mode.draft({ hasText: this.canSend, typed, cursor });
  }
}
