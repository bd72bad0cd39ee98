// The field for replies and notes. Its text survives switching threads, reloading and signing in again;
// each thread keeps one text of each kind.

import { html, nothing, render } from "lit-html";

import { tokenAfter } from "../../core/thread/outbox.js";
import { WaitingSend } from "../../core/uploads.js";
import { langOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { menu } from "../elements/menu.js";
import { PageModule } from "../elements/page-module.js";
import { attachButton, chips } from "./files.js";

const SAVE_MS = 300;
// Control characters that the server refuses: all except line breaks and tabs.
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

export class Composer extends PageModule {
  #threadId = null;
  #private = false;
  #aside = ""; // the text of the other kind
  #saved = false;
  #touched = false; // whether something was typed since the draft is shown
  #timer = null;

  /** @param {Page & {
   *   root: HTMLElement, replies: import("./pane.js").Replies,
   *   canned: import("./completion.js").Canned,
   *   reading: import("../../core/thread/reading.js").Reading,
   *   guard: import("../../core/thread/reading.js").SendGuard,
   *   attaching: import("./files.js").Attaching,
   *   mentions: import("./completion.js").MentionCompletion,
   * }} page */
  constructor({ root, replies, canned, mentions, reading, guard, attaching, ...page }) {
    super(page);
    this.root = root;
    this.replies = replies;
    this.canned = canned;
    this.mentions = mentions;
    this.bodyMax = this.data.limits.message_characters;
    this.reading = reading;
    this.guard = guard;
    this.attaching = attaching;
    this.sending = new WaitingSend({ thread: this.data.thread, attaching, send: (after) => this.send(after) });
    attaching.isPrivate = () => this.#private;
    attaching.changed = (threadId) => this.#filesChanged(threadId);
    attaching.focus = () => this.focus();
    this.data.drafts.writer = this;
  }

  get field() { return this.root.querySelector("textarea"); }
  get isPrivate() { return this.#private; }
  get canSend() { return Boolean(this.field?.value.trim() || this.attaching.items.length); }
  /** @param {string} after */
  sendText(after) { return sendText(this.#private, after, this.ui.language.t); }

  // kind: "reply" or "note"; by default the shown one.
  focus(kind) {
    this.ui.changes.close();
    if (this.data.thread.id !== this.#threadId) this.paint();
    if (kind && this.#private !== (kind === "note")) this.#swap();
    this.field?.focus();
  }

  paint() {
    const { thread } = this.data;
    const shown = thread.id !== null && thread.state !== "missing";
    if (thread.id !== this.#threadId) {
      this.save();
      if (this.#threadId !== null) this.data.drafts.leave(this.#threadId);
      this.#take(thread.id);
    }
    this.reading.settle();
    this.guard.look(thread.id);
    this.ui.advice.part?.paint();
    if (!shown) this.save(); // the field goes
    render(shown ? composerTemplate(this) : "", this.root);
    if (shown && this.field.dataset.thread !== String(thread.id)) {
      this.field.dataset.thread = thread.id;
      this.field.value = this.data.drafts.get(thread.id).body;
    }
  }

  // Puts text that was taken back before the draft.
  /** @param {OutboxItem} item */
  put(item) {
    const { threadId, body, private: isPrivate, seen, files = [], tries, failed, suggestion } = item;
    const isShown = threadId === this.#threadId && Boolean(this.field);
    if (isShown) this.save();
    else this.data.drafts.open(threadId);
    const draft = this.data.drafts.get(threadId);
    const other = draft.private === isPrivate ? this.data.drafts.asideOf(threadId) : draft.body;
    const own = draft.private === isPrivate ? draft.body : this.data.drafts.asideOf(threadId);
    const both = [body, own].filter(Boolean).join("\n");
    const { drafts } = this.data;
    drafts.put(threadId, {
      body: both, private: isPrivate, aside: other, ...(isPrivate && other ? {} : { seen }),
      [isPrivate ? "noteToken" : "token"]: tries || failed ? tokenAfter(item) : drafts.tokenOf(threadId, isPrivate),
      suggestion: suggestion ?? drafts.suggestionOf(threadId),
    });
    if (files.length) this.attaching.uploads.putBack(threadId, files);
    if (isShown) {
      this.#show();
      this.#touch();
    } else this.data.drafts.leave(threadId);
    this.ui.painter.ask("composer");
  }

  // The latest other draft of the thread: another window's, or an earlier one.
  get other() { return this.data.drafts.otherOf(this.#threadId); }

  /** @param {string} key */
  goOnWith(key) {
    this.data.drafts.take(this.#threadId, key);
    this.focus();
  }

  // Whether something was typed here since the draft is shown.
  /** @param {number} threadId */
  isTouched(threadId) { return threadId === this.#threadId && this.#touched; }

  // Shows another draft of the thread, or none.
  /** @param {number} threadId */
  show(threadId) {
    if (threadId === this.#threadId && this.field) this.#show();
  }

  // after: the next step: "stay", "done" or "next".
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
      this.ui.painter.ask("composer");
      return this.focus();
    }
    const again = () => {
      if (this.#threadId === threadId && this.#private && this.field?.value === value) this.send(after);
    };
    if (isPrivate && this.mentions.holds(body, again)) return this.focus();
    const seen = isPrivate ? this.data.thread.shownId : this.guard.seenId(threadId);
    const files = uploads.take(threadId, isPrivate);
    const mentions = isPrivate ? this.mentions.take(threadId, body) : [];
    const token = this.data.drafts.tokenOf(threadId, isPrivate);
    const suggestion = isPrivate ? undefined : this.data.drafts.suggestionOf(threadId);
    this.replies.post({ threadId, body, isPrivate, seen, after, files, mentions, token, suggestion });
    this.field.value = "";
    clearTimeout(this.#timer);
    this.guard.release();
    this.mentions.told = [];
    if (!isPrivate || !this.#aside) this.reading.end();
    this.#reportMode(true);
    this.data.drafts.drop(threadId);
    this.#touched = false;
    this.focus();
    this.ui.painter.ask("composer");
    return after === "next" ? this.replies.next(threadId) : undefined;
  }

  // Chooses a kind by its button: the text is moved to it, unless that kind has its own text.
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
      this.ui.painter.ask("composer");
    }
    return this.focus();
  }

  // A draft that was not changed here stays as it is: another window may continue it.
  save(id = this.#threadId) {
    if (id !== this.#threadId) return;
    clearTimeout(this.#timer);
    if (!this.#touched || id === null || this.field?.dataset.thread !== String(id)) return;
    this.#saved = this.data.drafts.put(id, {
      body: this.field.value, private: this.#private, aside: this.#aside, seen: this.reading.base,
    });
    this.ui.painter.ask("composer");
  }

  left() {
    this.canned.close();
    this.mentions.close();
    this.ui.painter.ask("composer");
  }

  typed() {
    this.canned.typed(this.field);
    if (this.#private) this.mentions.typed(this.field);
    else this.mentions.close();
    this.#saved = false;
    this.#touch();
    this.#read();
    this.#reportMode(true);
    this.data.hold.typed(this.net.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), SAVE_MS);
    this.ui.painter.ask("composer");
  }

  // Enter that ends the composition of an input method does not send, nor does a held key.
  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (this.canned.key(event, this.field) || this.mentions.key(event, this.field)) return;
    const held = event.ctrlKey || event.metaKey;
    const enter = this.data.prefs.kept.send_key === "enter" && !event.shiftKey && !event.altKey;
    if (event.key !== "Enter" || !(held || enter)) return;
    event.preventDefault();
    if (event.repeat) return;
    this.send(event.shiftKey ? "done" : event.altKey ? "next" : "stay");
  }

  // Whether the draft is stored, for the line beside the button.
  get isSaved() { return this.#saved; }

  #take(threadId) {
    this.#threadId = threadId;
    this.mentions.told = [];
    this.#saved = false;
    this.#touched = false;
    clearTimeout(this.#timer);
    this.sending.stop();
    if (threadId !== null) {
      this.data.drafts.open(threadId);
      this.attaching.uploads.restore(threadId, this.data.drafts.filesOf(threadId));
    }
    const draft = threadId === null ? { body: "", private: false } : this.data.drafts.get(threadId);
    this.#private = draft.private;
    this.#aside = threadId === null ? "" : this.data.drafts.asideOf(threadId);
    const hasText = Boolean(draft.body.trim());
    if (hasText || this.#aside || this.attaching.items.length) this.reading.begin(this.data.drafts.seenOf(threadId));
    else this.reading.end();
    this.data.mode.draft({ hasText });
  }

  #filesChanged(threadId) {
    if (threadId !== this.#threadId || !this.field) return;
    this.#read();
    this.sending.look(threadId, this.#private);
  }

  // From now on the shown draft belongs to this window.
  #touch() {
    this.#touched = true;
    this.data.drafts.claim(this.#threadId);
  }

  // Messages that came since the draft began count as unread.
  #read() {
    const hasContent = this.field.value || this.#aside || this.data.drafts.filesOf(this.#threadId).length;
    if (!hasContent) this.reading.end();
    else if (this.reading.base === null) this.reading.begin();
  }

  // Shows the other kind with its own text: text for the team never becomes a reply.
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
    this.ui.painter.ask("composer");
  }

  #show() {
    this.#take(this.#threadId);
    this.field.value = this.data.drafts.get(this.#threadId).body;
    this.ui.painter.ask("composer");
  }

  // Reports to colleagues in the thread that the admin is typing, and where.
  #reportMode(typed) {
    const field = this.#private ? "note" : "reply";
    const cursor = { message_id: null, field, position: this.field?.selectionEnd ?? 0 };
    this.data.mode.draft({ hasText: this.canSend, typed, cursor });
  }
}

// The template of the composer.
const SHOW_LEFT_FROM = 1000; // with fewer characters left than this, their number is shown

// after: "stay", "done" or "next"
/** @param {boolean} isPrivate @param {string} after @param {Translate} t */
export function sendText(isPrivate, after, t) {
  const kind = isPrivate ? "note" : "reply";
  return t(after === "stay" ? `composer.send.${kind}` : `composer.send.${kind}.${after}`);
}

/** @param {import("./composer.js").Composer} composer */
function composerTemplate(composer) {
  const { canned, mentions, isPrivate, guard, data: { prefs, thread }, ui: { language: { t } } } = composer;
  const listed = canned.activeId ? "canned-list" : mentions.activeId ? "mention-list" : "";
  const enter = prefs.kept.send_key === "enter";
  const { length } = [...composer.field?.value ?? ""];
  const kind = isPrivate ? "note" : "reply";
  return html`<form class="composer" ?data-private=${isPrivate}
    ?data-dropping=${composer.attaching.isDropping}
    @submit=${(event) => submit(event, composer)}>
    ${canned.render(() => composer.field)}${mentions.render(() => composer.field)}
    <textarea class="composer-field" rows="2" dir="auto"
      lang=${(!isPrivate && langOf(thread.row, t)) || nothing} aria-keyshortcuts=${isPrivate ? "n" : "r"}
      aria-autocomplete="list" aria-controls=${listed}
      aria-activedescendant=${canned.activeId ?? mentions.activeId ?? ""} @blur=${() => composer.left()}
      aria-label=${t(`composer.${kind}`)} placeholder=${t(`composer.${kind}.hint`)}
      @paste=${(event) => composer.attaching.pasted(event)}
      @input=${() => composer.typed()} @keydown=${(event) => composer.key(event)}></textarea>
    ${chips(composer.attaching)}
    ${isPrivate ? heldNote(mentions.told, t) : held(guard.held, t)}
    ${other(composer)}
    <div class="composer-foot">
      ${mode(composer, false)}${mode(composer, true)}
      <button type="button" class="icon-button composer-canned" aria-label=${t("canned.title")}
        title=${t("canned.button")} aria-expanded=${String(canned.isOpen)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => canned.toggle(composer.field)}>${ICONS.canned}</button>
      ${attachButton(composer.attaching)}
      <span class="composer-state" role=${composer.sending.state ? "alert" : nothing}
        ?data-saved=${!composer.sending.state && length <= composer.bodyMax - SHOW_LEFT_FROM}
        >${state(composer, length)}</span>
      <button type="submit" class="button button-accent composer-send"
        aria-keyshortcuts=${enter ? "Enter" : "Control+Enter"} @click=${dropSecond}
        >${(isPrivate ? mentions.told.length : guard.held) ? t("sending.anyway") : composer.sendText("stay")}<kbd
        >${enter ? "↵" : "Ctrl ↵"}</kbd></button>
      ${menu({
        id: "send-menu", label: t("composer.send.more"), text: ICONS.down,
        className: "button button-accent composer-more",
        items: [["done", "Ctrl Shift ↵"], ["next", "Ctrl Alt ↵"]].map(([after, key]) => ({
          text: composer.sendText(after), key, run: () => composer.send(after),
        })),
      })}
    </div></form>`;
}

function submit(event, composer) {
  event.preventDefault();
  composer.send();
}

// The second click of a double click is not a press of its own.
function dropSecond(event) {
  if (event.detail > 1) event.preventDefault();
}

function mode(composer, isPrivate) {
  const kind = isPrivate ? "note" : "reply";
  return html`<button type="button" class="composer-mode"
    aria-pressed=${String(composer.isPrivate === isPrivate)} aria-keyshortcuts=${isPrivate ? "n" : "r"}
    @click=${() => composer.choose(isPrivate)}>${composer.ui.language.t(`composer.${kind}`)}</button>`;
}

// Says why the reply was held, and that one more press sends it.
function held(reasons, t) {
  if (!reasons) return "";
  const told = [
    ...reasons.writers.map(({ name, mode: doing }) => t(`viewer.${doing}`, { name })),
    ...(reasons.unread.length ? [t("composer.held.unread", { count: reasons.unread.length })] : []),
  ];
  return html`<div class="composer-held" role="alert">${told.join(" · ")}
    <span>${t("composer.held")}</span></div>`;
}

// Says which words after `@` name nobody who sees the thread.
function heldNote(words, t) {
  if (!words.length) return "";
  return html`<div class="composer-held" role="alert"><bdi>${t("mention.nobody", { words: words.join(", ") })}</bdi>
    <span>${t("composer.held.note")}</span></div>`;
}

// Another draft of this thread, with a button to continue it.
function other(composer) {
  const draft = composer.other;
  if (!draft) return "";
  const { t } = composer.ui.language;
  return html`<div class="composer-other" role="status"><span class="composer-other-text"
    >${t("composer.other")} <bdi>${draft.body}</bdi></span><button type="button" class="button"
    @click=${() => composer.goOnWith(draft.key)}>${t("composer.other.show")}</button></div>`;
}

function state({ bodyMax, isSaved, sending, ui: { language: { t } } }, length) {
  if (sending.state) return t(`files.${sending.state}`);
  if (length > bodyMax) return t("composer.too_long", { count: length - bodyMax });
  if (length > bodyMax - SHOW_LEFT_FROM) return t("composer.left", { count: bodyMax - length });
  return length && isSaved ? t("composer.saved") : "";
}
