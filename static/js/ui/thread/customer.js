// The panel about the customer of the open thread, with their other threads.

import { html, render } from "lit-html";

import { languageName } from "../../core/i18n.js";
import { shown } from "../../core/names.js";
import { previewText } from "../../core/row-texts.js";
import { age } from "../../core/time.js";
import { avatar, memberText, nameOf, who } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { copyButton } from "../elements/lacking.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { ask } from "../elements/popover.js";
import { CustomerNote } from "./customer-note.js";
import { linked } from "./message.js";

const RELOAD_MS = 1000; // the panel follows a changed thread as often

export class CustomerPanel extends PageModule {
  #opened = false; // by the admin, in a window that is not wide
  #wide = matchMedia("(width >= 1680px)");
  #threadId = null;
  #answer = null;
  #failed = false;
  #revision = 0; // the thread's, of the answer
  #timer = null;

  /** @param {Page & { root: HTMLElement }} page */
  constructor({ root, ...page }) {
    super(page);
    this.root = root;
    this.deletion = new CustomerDeletion(page);
    this.note = new CustomerNote({
      ...page,
      written: (threadId, note) => {
        if (threadId === this.#threadId && this.#answer?.customer) this.#answer.customer.note = note;
      },
    });
    this.#wide.addEventListener("change", () => this.ui.painter.ask("customer", "thread"));
  }

  // A wide window has room for the panel beside each conversation.
  get shown() {
    const { thread: { id, state }, prefs } = this.data;
    const isWanted = this.#wide.matches ? prefs.kept.customer_panel : this.#opened;
    return isWanted && id !== null && state !== "missing";
  }

  toggle() {
    const shown = !this.shown;
    if (this.#wide.matches) this.data.prefs.change({ customer_panel: shown });
    else this.#opened = shown && this.data.thread.id !== null;
    this.#threadId = null;
    this.ui.painter.ask("customer", "thread");
    if (!shown) this.ui.listPane.focus();
  }

  paint() {
    const { shown, data: { thread: { id: threadId } } } = this;
    this.root.hidden = !shown;
    this.root.setAttribute("aria-label", this.ui.language.t("customer"));
    if (shown && threadId !== this.#threadId) this.#load(threadId);
    else if (shown && this.data.thread.row?.rev > this.#revision) this.#follow(threadId);
    render(shown ? this.#content() : "", this.root);
  }

  #load(threadId) {
    this.#threadId = threadId;
    this.#answer = null;
    return this.#read(threadId);
  }

  // The thread has changed: the customer may have, too.
  #follow(threadId) {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (threadId === this.#threadId && this.shown) this.#read(threadId);
    }, RELOAD_MS);
  }

  async #read(threadId) {
    this.#failed = false;
    this.#revision = this.#rev(threadId);
    try {
      const answer = await this.net.api.customer(threadId);
      if (threadId !== this.#threadId) return;
      this.#answer = answer;
      for (const row of answer.threads) this.data.rows.put(row);
      // The answer brings the row of a thread that was opened by its address.
      this.#revision ||= this.#rev(threadId);
    } catch {
      this.#failed = threadId === this.#threadId;
    }
    this.ui.painter.ask("customer");
  }

  #rev(threadId) { return this.data.rows.get(threadId)?.rev ?? 0; }

  #content() {
    const { row } = this.data.thread;
    const { t } = this.ui.language;
    return html`<div class="customer-head"><h2>${t("customer")}</h2>
        <button type="button" class="icon-button" aria-label=${t("close")} aria-keyshortcuts="i"
          @click=${() => this.toggle()}>${ICONS.close}</button></div>
      ${row ? html`<div class="customer-who">${avatar(row, t)}${who(row, t)}</div>
        ${this.#facts(row)}${this.#attributes()}${this.#noteOn(row)}` : ""}
      <h3 class="customer-title">${t("customer.threads")}</h3>${this.#threads()}
      ${row && this.#answer ? this.deletion.button(row, this.#answer.total) : ""}`;
  }

  #facts(row) {
    const { t, words, locale } = this.ui.language;
    const { customer } = row;
    const long = (at) => words.long(age(at, this.net.now()));
    const time = (at) => (at ? html`<time title=${words.exact(at)}>${long(at)}</time>` : "");
    const facts = [
      [t("customer.id"), customer && html`<span>${shown(customer.id)}</span>
        ${copyButton(customer.id, t("customer.copy_id"), t)}`],
      [t("customer.member"), memberText(row, t)],
      [t("language"), customer?.locale ? languageName(customer.locale, locale) : ""],
      [t("customer.since"), time(this.#answer?.customer?.created_at)],
      [t("fact.recent_at"), time(row.recent_at)],
      [t("fact.waiting_since"), time(row.waiting_since)],
    ];
    return html`<dl class="customer-facts">${facts.filter(([, value]) => value).map(fact)}</dl>`;
  }

  // What the chatbot tells about the customer.
  #attributes() {
    const attributes = this.#answer?.customer?.attributes ?? [];
    if (!attributes.length) return "";
    return html`<h3 class="customer-title">${this.ui.language.t("customer.attributes")}</h3>
      <dl class="customer-facts customer-attributes" translate="no">${
        attributes.map(({ name, value }) => fact([shown(name), linked(value)]))}</dl>`;
  }

  #noteOn(row) {
    const { customer } = this.#answer ?? {};
    // The customer of a thread may change.
    return customer && customer.id === row.customer?.id ? this.note.render(row, customer.note) : "";
  }

  #threads() {
    const { id: threadId } = this.data.thread;
    const { t } = this.ui.language;
    if (this.#failed) {
      return html`<button type="button" class="button" @click=${() => this.#load(threadId)}
        >${t("retry")}</button>`;
    }
    if (!this.#answer) return html`<p class="customer-none">${t("loading")}</p>`;
    const others = this.#answer.threads.filter(({ id }) => id !== threadId);
    if (!others.length) return html`<p class="customer-none">${t("customer.no_threads")}</p>`;
    const more = this.#answer.total - 1 - others.length;
    const items = others.map((row) => this.#thread(this.data.rows.get(row.id) ?? row));
    return html`<ul class="customer-threads">${items}</ul>
      ${more > 0 ? html`<p class="customer-none">${t("customer.more", { count: more })}</p>` : ""}`;
  }

  #thread(row) {
    const { t, words } = this.ui.language;
    const state = t(row.open ? "thread.open" : "thread.closed");
    const ago = words.short(age(row.recent_at, this.net.now()), t("time.now"));
    return html`<li><button type="button" class="customer-thread"
      @click=${() => this.acts.open(row.id)}><span class="found-line">
        <span class="found-badge">${state}</span><span class="row-time">${ago}</span></span>
      <span class="found-excerpt" dir="auto">${row.preview ? previewText(row.preview, t) : t("row.no_message")}</span>
      </button></li>`;
  }
}

const fact = ([name, value]) => html`<div><dt><bdi>${name}</bdi></dt><dd
  ><bdi>${typeof value === "string" ? shown(value) : value}</bdi></dd></div>`;

// Deletes all data of a customer, after two questions.
class CustomerDeletion extends PageModule {
  #busy = false;

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.isOffered = this.data.admin.role === "supervisor";
  }

  // count: number of threads of the row's customer
  /** @param {Row} row @param {number} count */
  button(row, count) {
    if (!this.isOffered || !row.customer) return "";
    const { t } = this.ui.language;
    return html`<button type="button" class="button customer-delete" ?disabled=${this.#busy}
      @click=${() => this.#begin(row, count)}
      >${t(this.#busy ? "customer.deleting" : "customer.delete")}</button>`;
  }

  async #begin(row, count) {
    const { t } = this.ui.language;
    const name = nameOf(row, t);
    const sure = await ask(this.ui.dialog, {
      title: t("customer.delete.title", { name }),
      text: t("customer.delete.text", { count }),
      yes: t("customer.delete.next"),
    }, t) && await ask(this.ui.dialog, {
      title: t("customer.delete.sure", { name }),
      text: t("customer.delete.no_undo"),
      yes: t("customer.delete.yes"),
    }, t);
    if (sure) await this.#delete(row, name);
  }

  async #delete(row, name) {
    const { t } = this.ui.language;
    this.#set(true);
    try {
      const { threads } = await this.net.api.deleteCustomer(row.customer.id);
      this.data.thread.gone(row.id);
      this.ui.toasts.show(t("customer.deleted", { name, count: threads }));
    } catch (error) {
      this.ui.toasts.show(refusalOf(error, t));
    } finally {
      this.#set(false);
    }
  }

  #set(busy) {
    this.#busy = busy;
    this.ui.painter.ask("customer", "thread");
  }
}
