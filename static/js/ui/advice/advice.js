// The advice of the open thread's chatbot: a suggestion above the composer, and the summary above the
// conversation. Loaded once a thread has some.

import { html, render } from "lit-html";

import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

export const KEY = "F2"; // takes a suggestion over; works in fields, too

export class Advice extends PageModule {
  /** @type {AdviceGiven | null} */
  #given = null; // the last one from the server
  #over = new Set(); // ids of suggestions that were sent or dismissed here
  #announced = 0; // id of the suggestion that was announced last
  #summary = rootBefore(".messages-frame");
  #suggestion = rootBefore("#composer");

  /** @param {Page} page */
  constructor(page) {
    super(page);
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  // Takes what the server says of a thread: it replaces what it said before.
  /** @param {AdviceGiven} given */
  take(given) {
    this.#given = given;
    this.paint();
  }

  // Called whenever the composer is painted, so also after the thread or the draft has changed.
  paint() {
    const { summary } = this.#shown;
    const { suggestion } = this;
    render(summary ? this.#summaryOf(summary) : "", this.#summary);
    render(suggestion ? this.#suggestionOf(suggestion) : "", this.#suggestion);
    if (suggestion && suggestion.id !== this.#announced) {
      this.#announced = suggestion.id;
      this.ui.announce(this.ui.language.t("advice.suggestion.came", { key: KEY }));
    }
  }

  // The suggestion that may be taken over: none while its text is in the draft, or under way.
  get suggestion() {
    const { suggestion } = this.#shown;
    if (!suggestion) return null;
    const { id } = this.data.thread;
    const isSent = (item) => item.suggestion === suggestion.id && !item.private;
    if (this.data.outbox.of(id).some(isSent)) this.#over.add(suggestion.id);
    const isTaken = this.data.drafts.suggestionOf(id) === suggestion.id;
    return isTaken || this.#over.has(suggestion.id) ? null : suggestion;
  }

  // Puts the suggestion behind what is typed, as if it were typed: it can be edited, and undone.
  async takeOver() {
    const { suggestion, data: { thread: { id } } } = this;
    const composer = (await this.ui.threadPane.get())?.composer;
    if (!composer || !suggestion || id !== this.data.thread.id) return;
    composer.focus("reply");
    const { field } = composer;
    field.setSelectionRange(field.value.length, field.value.length);
    const text = (field.value && !field.value.endsWith("\n") ? "\n" : "") + suggestion.body;
    if (!document.execCommand("insertText", false, text)) {
      field.value += text;
      composer.typed();
    }
    composer.save();
    this.data.drafts.put(id, { suggestion: suggestion.id });
    this.paint();
  }

  async dismiss() {
    const { suggestion, data: { thread: { id } }, ui: { toasts, language: { t } } } = this;
    this.#over.add(suggestion.id);
    this.paint();
    this.acts.write("reply");
    try {
      await this.net.api.http.delete(`/admin/api/threads/${id}/suggestions/${suggestion.id}`);
    } catch (error) {
      this.#over.delete(suggestion.id);
      this.paint();
      toasts.show(refusalOf(error, t));
    }
  }

  get #shown() {
    const { id, state } = this.data.thread;
    const isShown = this.#given?.thread_id === id && state !== "missing" && this.data.drafts;
    return isShown ? this.#given : { suggestion: null, summary: null };
  }

  #key(event) {
    const { key, ctrlKey, altKey, metaKey, shiftKey, repeat, isComposing } = event;
    if (key !== KEY || ctrlKey || altKey || metaKey || shiftKey || repeat || isComposing) return;
    if (!this.suggestion || !this.#suggestion.checkVisibility() || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.takeOver();
  }

  #suggestionOf({ body }) {
    const { t } = this.ui.language;
    return html`<section class="suggestion" aria-label=${t("advice.suggestion")}>
      <div class="suggestion-head"><span class="suggestion-label">${t("advice.suggestion")}</span>
        <span class="suggestion-about">${t("advice.suggestion.about")}</span>
        <button type="button" class="button suggestion-take" aria-keyshortcuts=${KEY}
          @click=${() => this.takeOver()}>${t("advice.take")}<kbd>${KEY}</kbd></button>
        <button type="button" class="icon-button suggestion-dismiss" aria-label=${t("advice.dismiss")}
          title=${t("advice.dismiss")} @click=${() => this.dismiss()}>${ICONS.close}</button></div>
      <p class="suggestion-body" dir="auto" tabindex="0">${body}</p></section>`;
  }

  #summaryOf({ body, through_at: at }) {
    const { net: { now }, ui: { language: { t, words } } } = this;
    return html`<details class="summary" open><summary title=${words.exact(at)}
      >${t("advice.summary", { time: words.moment(at, now()) })}</summary>
      <p class="summary-body" dir="auto" tabindex="0">${body}</p></details>`;
  }
}

/** @param {string} selector */
function rootBefore(selector) {
  const root = document.createElement("div");
  document.querySelector(`#thread-pane ${selector}`).before(root);
  return root;
}
