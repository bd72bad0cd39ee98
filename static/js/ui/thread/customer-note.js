// The note on a customer: one text of the team, changed in the panel about the customer.

import { html } from "lit-html";

import { shown } from "../../core/names.js";
import { age } from "../../core/time.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

const NOTE_MAX = 2000;

export class CustomerNote extends PageModule {
  #drafts = new Map(); // customer → {text, at: of the note that it changes, null for none}
  #busy = false;

  // written(threadId, note) takes the note as it is on the server.
  /** @param {Page & { written: (threadId: number, note: PersonNote | null) => void }} page */
  constructor({ written, ...page }) {
    super(page);
    this.written = written;
    addEventListener("beforeunload", (event) => { if (this.#drafts.size) event.preventDefault(); });
  }

  /** @param {Row} row @param {PersonNote | null} note */
  render(row, note) {
    const { t } = this.ui.language;
    const draft = this.#drafts.get(row.customer.id);
    const isTheirs = draft && draft.at !== (note?.at ?? null);
    const save = () => this.#save(row, note);
    return html`<h3 class="customer-title" id="customer-note-title">${t("customer.note")}</h3>
      <form class="customer-note" @submit=${(event) => { event.preventDefault(); save(); }}>
        <textarea dir="auto" rows="2" maxlength=${NOTE_MAX} aria-labelledby="customer-note-title"
          placeholder=${t("customer.note.hint")} .value=${draft?.text ?? note?.text ?? ""}
          aria-keyshortcuts="Control+Enter" @input=${(event) => this.#typed(row, note, event.target.value)}
          @keydown=${(event) => { if (isSave(event)) save(); }}></textarea>
        ${isTheirs ? this.#theirs(row, note) : ""}
        <div class="customer-note-foot">${draft ? html`
          ${isTheirs ? "" : html`<button type="button" class="button" @click=${() => this.#drop(row)}
            >${t("cancel")}</button>`}
          <button type="submit" class="button button-accent" ?disabled=${this.#busy}
            >${t(isTheirs ? "customer.note.replace" : "customer.note.save")}</button>`
    : this.#about(note)}</div>
      </form>`;
  }

  // Who wrote it when.
  #about(note) {
    if (!note) return "";
    const { words } = this.ui.language;
    return html`<span><bdi translate="no">${shown(note.by.name)}</bdi> · <time title=${words.exact(note.at)}
      >${words.long(age(note.at, this.net.now()))}</time></span>`;
  }

  // Somebody else has changed the note since the admin began to write.
  #theirs(row, note) {
    const { t } = this.ui.language;
    return html`<div class="customer-note-theirs" role="alert">${note ? html`
        <p>${t("customer.note.theirs", { name: shown(note.by.name) })}</p>
        <blockquote dir="auto">${note.text}</blockquote>` : html`<p>${t("customer.note.deleted")}</p>`}
      <button type="button" class="button" @click=${() => this.#drop(row)}
        >${t("customer.note.take")}</button></div>`;
  }

  #typed({ customer: { id } }, note, text) {
    const now = note?.at ?? null;
    const { at } = this.#drafts.get(id) ?? { at: now };
    if (text === (note?.text ?? "") && at === now) this.#drafts.delete(id);
    else this.#drafts.set(id, { text, at });
    this.ui.painter.ask("customer");
  }

  #drop({ customer: { id } }) {
    this.#drafts.delete(id);
    this.ui.painter.ask("customer");
  }

  async #save({ id: threadId, customer: { id } }, seen) {
    const draft = this.#drafts.get(id);
    if (!draft || this.#busy) return;
    this.#busy = true;
    this.ui.painter.ask("customer");
    try {
      const given = { customer: id, text: draft.text, changed_at: seen?.at ?? null };
      const { note } = await this.net.api.noteCustomer(threadId, given);
      this.#saved(id, draft, note);
      this.written(threadId, note);
    } catch (error) {
      if (error.code === "changed_meanwhile") this.written(threadId, error.body.note);
      else this.ui.toasts.show(refusalOf(error, this.ui.language.t));
    }
    this.#busy = false;
    this.ui.painter.ask("customer");
  }

  // What was typed meanwhile changes the new note.
  #saved(id, sent, note) {
    const draft = this.#drafts.get(id);
    if (draft?.text === sent.text) this.#drafts.delete(id);
    else if (draft) this.#drafts.set(id, { ...draft, at: note?.at ?? null });
  }
}

const isSave = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing
  && !event.repeat;
