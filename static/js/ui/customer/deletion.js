// Deletes all that is kept of a customer, after two questions.

import { html } from "lit-html";

import { nameOf } from "../elements/avatar.js";
import { ask } from "../elements/ask.js";
import { refusalOf } from "../elements/refusal.js";

export class CustomerDeletion {
  #busy = false;

  /** @param {CustomerDeletionParts} parts */
  constructor({ api, admin, dialog, toasts, thread, painter, language }) {
    this.api = api;
    this.isOffered = admin.role === "supervisor";
    this.dialog = dialog;
    this.toasts = toasts;
    this.thread = thread;
    this.painter = painter;
    this.language = language;
  }

  // count: of the threads of the row's customer
  /** @param {Row} row @param {number} count */
  button(row, count) {
    if (!this.isOffered || !row.customer) return "";
    const { t } = this.language;
    return html`<button type="button" class="button customer-delete" ?disabled=${this.#busy}
      @click=${() => this.#begin(row, count)}
      >${t(this.#busy ? "customer.deleting" : "customer.delete")}</button>`;
  }

  async #begin(row, count) {
    const { t } = this.language;
    const name = nameOf(row, t);
    const sure = await ask(this.dialog, {
      title: t("customer.delete.title", { name }),
      text: t("customer.delete.text", { count }),
      yes: t("customer.delete.next"),
    }, t) && await ask(this.dialog, {
      title: t("customer.delete.sure", { name }),
      text: t("customer.delete.no_undo"),
      yes: t("customer.delete.yes"),
    }, t);
    if (sure) await this.#delete(row, name);
  }

  async #delete(row, name) {
    const { t } = this.language;
    this.#set(true);
    try {
      const { threads } = await this.api.deleteCustomer(row.customer.id);
      this.thread.gone(row.id);
      this.toasts.show(t("customer.deleted", { name, count: threads }));
    } catch (error) {
      this.toasts.show(refusalOf(error, t));
    } finally {
      this.#set(false);
    }
  }

  #set(busy) {
    this.#busy = busy;
    this.painter.ask("customer", "thread");
  }
}
