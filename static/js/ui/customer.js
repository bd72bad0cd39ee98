// Who the customer of the open thread is, and their other threads.

import { html, render } from "lit-html";

import { languageName } from "../core/i18n.js";
import { age } from "../core/time.js";
import { avatar, who } from "./avatar.js";
import { ICONS } from "./icons.js";
import { memberText } from "./row.js";

export class CustomerPanel {
  shown = false;
  #threadId = null;
  #answer = null;
  #failed = false;

  constructor({ root, desk }) {
    Object.assign(this, { root, desk });
  }

  toggle() {
    this.shown = !this.shown && this.desk.threadId !== null;
    this.#threadId = null;
    this.desk.ask("customer", "thread");
    if (!this.shown) this.desk.listPane.focus();
  }

  paint() {
    const { threadId } = this.desk;
    const shown = this.shown && threadId !== null;
    this.root.hidden = !shown;
    this.root.setAttribute("aria-label", this.desk.t("customer"));
    if (shown && threadId !== this.#threadId) this.#load(threadId);
    render(shown ? this.#content() : "", this.root);
  }

  async #load(threadId) {
    this.#threadId = threadId;
    this.#answer = null;
    this.#failed = false;
    try {
      const answer = await this.desk.api.customer(threadId);
      if (threadId !== this.#threadId) return;
      this.#answer = answer;
      for (const row of answer.threads) this.desk.rows.put(row);
    } catch {
      this.#failed = threadId === this.#threadId;
    }
    this.desk.ask("customer");
  }

  #content() {
    const { t, row } = this.desk;
    return html`<div class="customer-head"><h2>${t("customer")}</h2>
        <button type="button" class="icon-button" aria-label=${t("close")} aria-keyshortcuts="i"
          @click=${() => this.toggle()}>${ICONS.close}</button></div>
      ${row ? html`<div class="customer-who">${avatar(row, t)}${who(row, t)}</div>
        ${this.#facts(row)}` : ""}
      <h3 class="customer-title">${t("customer.threads")}</h3>${this.#threads()}`;
  }

  #facts(row) {
    const { t, words, language } = this.desk;
    const { customer } = row;
    const long = (at) => words.long(age(at, this.desk.now()));
    const time = (at) => (at ? html`<time title=${words.exact(at)}>${long(at)}</time>` : "");
    const facts = [
      [t("customer.id"), customer?.id ?? ""],
      [t("sort.member_status"), memberText(row, t)],
      [t("language"), customer?.locale ? languageName(customer.locale, language.locale) : ""],
      [t("customer.since"), time(this.#answer?.customer?.created_at)],
      [t("fact.recent_at"), time(row.recent_at)],
      [t("fact.waiting_since"), time(row.waiting_since)],
    ];
    return html`<dl class="customer-facts">${facts.filter(([, value]) => value).map(fact)}</dl>`;
  }

  #threads() {
    const { t, threadId, rows } = this.desk;
    if (this.#failed) {
      return html`<button type="button" class="button" @click=${() => this.#load(threadId)}
        >${t("retry")}</button>`;
    }
    if (!this.#answer) return html`<p class="customer-none">${t("loading")}</p>`;
    const others = this.#answer.threads.filter(({ id }) => id !== threadId);
    if (!others.length) return html`<p class="customer-none">${t("customer.no_threads")}</p>`;
    const more = this.#answer.total - 1 - others.length;
    const items = others.map(({ id }) => this.#thread(rows.get(id)));
    return html`<ul class="customer-threads">${items}</ul>
      ${more > 0 ? html`<p class="customer-none">${t("customer.more", { count: more })}</p>` : ""}`;
  }

  #thread(row) {
    const { t, words, now } = this.desk;
    const state = t(row.open ? "thread.open" : "thread.closed");
    const ago = words.short(age(row.recent_at, now()), t("time.now"));
    return html`<li><button type="button" class="customer-thread"
      @click=${() => this.desk.open(row.id)}><span class="found-line">
        <span class="found-badge">${state}</span><span class="row-time">${ago}</span></span>
      <span class="found-excerpt" dir="auto">${row.preview?.body ?? t("row.no_message")}</span>
      </button></li>`;
  }
}

const fact = ([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`;
