// Where a reply is written. The text survives everything: switching, reloading, signing in again.

import { html, render } from "lit-html";

const SAVE_MS = 300;
const BODY_MAX = 20_000;
const TELL_FROM = 19_000;
// What the server refuses: controls other than line breaks and tabs.
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

export class Composer {
  #threadId = null;
  #private = false;
  #saved = false;
  #timer = null;

  constructor({ root, desk }) {
    this.root = root;
    this.desk = desk;
    window.addEventListener("pagehide", () => this.#save());
  }

  get #field() { return this.root.querySelector("textarea"); }

  focus() { this.#field?.focus(); }

  paint() {
    const { thread } = this.desk;
    const shown = thread.id !== null && thread.state !== "missing";
    const moved = thread.id !== this.#threadId;
    if (moved) {
      this.#save();
      this.#take(thread.id);
    }
    render(shown ? this.#content() : "", this.root);
    if (shown && this.#field.dataset.thread !== String(thread.id)) {
      this.#field.dataset.thread = thread.id;
      this.#field.value = this.desk.drafts.get(thread.id).body;
    }
  }

  // Text that was taken back comes before what is written already.
  put(threadId, body) {
    const draft = this.desk.drafts.get(threadId);
    const both = [body, draft.body].filter(Boolean).join("\n");
    this.desk.drafts.put(threadId, { ...draft, body: both });
    if (threadId === this.#threadId && this.#field) this.#field.value = both;
    this.desk.ask("composer");
  }

  #take(threadId) {
    this.#threadId = threadId;
    this.#saved = false;
    this.#private = threadId !== null && this.desk.drafts.get(threadId).private;
    const hasText = threadId !== null && Boolean(this.desk.drafts.get(threadId).body.trim());
    this.desk.mode.draft({ hasText });
  }

  // What colleagues in the thread see of it: that something is written, and where.
  #tellMode(typed) {
    const field = this.#private ? "note" : "reply";
    const cursor = { message_id: null, field, position: this.#field?.selectionEnd ?? 0 };
    const hasText = Boolean(this.#field?.value.trim());
    this.desk.mode.draft({ hasText, typed, cursor });
  }

  #content() {
    const { t, canned, prefs } = this.desk;
    const enter = prefs.kept.send_key === "enter";
    const { length } = [...this.#field?.value ?? ""];
    return html`<form class="composer" ?data-private=${this.#private}
      @submit=${(e) => this.#submit(e)}>
      ${canned.render(() => this.#field)}
      <textarea class="composer-field" rows="2" dir="auto" aria-keyshortcuts="r"
        aria-autocomplete="list" aria-controls=${canned.activeId ? "canned" : ""}
        aria-activedescendant=${canned.activeId ?? ""} @blur=${() => this.#left()}
        aria-label=${t(this.#private ? "composer.note" : "composer.reply")}
        placeholder=${t(this.#private ? "composer.note.hint" : "composer.reply.hint")}
        @input=${() => this.#typed()} @keydown=${(event) => this.#key(event)}></textarea>
      <div class="composer-foot">
        ${this.#mode(false, "composer.reply")}${this.#mode(true, "composer.note")}
        <span class="composer-state">${this.#state(length)}</span>
        <button type="submit" class="button button-accent"
          aria-keyshortcuts=${enter ? "Enter" : "Control+Enter"}
          >${t("composer.send")}<kbd>${enter ? "↵" : "Ctrl ↵"}</kbd></button>
      </div></form>`;
  }

  #mode(isPrivate, key) {
    return html`<button type="button" class="composer-mode"
      aria-pressed=${String(this.#private === isPrivate)}
      @click=${() => this.#choose(isPrivate)}>${this.desk.t(key)}</button>`;
  }

  #state(length) {
    const { t } = this.desk;
    if (length > BODY_MAX) return t("composer.too_long", { count: length - BODY_MAX });
    if (length > TELL_FROM) return t("composer.left", { count: BODY_MAX - length });
    return length && this.#saved ? t("composer.saved") : "";
  }

  #choose(isPrivate) {
    this.#private = isPrivate;
    this.#save();
    this.focus();
    this.desk.ask("composer");
  }

  #left() {
    this.desk.canned.close();
    this.desk.ask("composer");
  }

  #typed() {
    this.desk.canned.typed(this.#field);
    this.#saved = false;
    this.#tellMode(true);
    this.desk.hold.typed(this.desk.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), SAVE_MS);
    this.desk.ask("composer");
  }

  #save() {
    clearTimeout(this.#timer);
    const id = this.#threadId;
    if (id === null || this.#field?.dataset.thread !== String(id)) return;
    this.#saved = this.desk.drafts.put(id, { body: this.#field.value, private: this.#private });
    this.desk.ask("composer");
  }

  // Enter that ends an input method's composition is not a wish to send.
  #key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (this.desk.canned.key(event, this.#field)) return;
    const held = event.ctrlKey || event.metaKey;
    const enter = this.desk.prefs.kept.send_key === "enter" && !event.shiftKey && !event.altKey;
    if (event.key === "Enter" && (held || enter)) {
      event.preventDefault();
      this.#send();
    }
  }

  #submit(event) {
    event.preventDefault();
    this.#send();
  }

  #send() {
    const body = this.#field.value.toWellFormed().replace(CONTROLS, "");
    if (!body.trim() || [...body].length > BODY_MAX) return this.focus();
    const threadId = this.#threadId;
    this.#field.value = "";
    this.#tellMode(true);
    this.desk.drafts.drop(threadId);
    this.desk.acts.reply({ threadId, body, isPrivate: this.#private });
    this.focus();
    return this.desk.ask("composer");
  }
}
