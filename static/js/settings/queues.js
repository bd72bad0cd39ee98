// The page of queues for supervisors, in their order, and what counts as an admin's load.

import { html } from "lit-html";

import { shown } from "../core/names.js";
import { OrderedPage } from "./ordered.js";
import { QueueForm } from "./queue-form.js";

const QUEUES = "/admin/api/queues";
const LOADS = ["waiting", "open"];

/** @extends {OrderedPage<Queue>} */
export class QueuesPage extends OrderedPage {
  /** @type {SavedView[]} */
  #views = [];
  /** @type {string[]} */
  #desks = [];
  #load = "";

  get kind() { return "queues"; }

  get action() {
    return this.saved && !this.isMoved && { text: this.t("queues.new"), run: () => this.edit(null) };
  }

  async begin() {
    const [{ queues, load }, { views }, { desks }] = await Promise.all([
      this.http.get(QUEUES), this.net.api.views(), this.net.api.desks(),
    ]);
    this.#views = views;
    this.#desks = desks.map((desk) => desk.name ?? desk);
    this.#load = load;
    this.take(queues);
  }

  async read() { return (await this.http.get(QUEUES)).queues; }
  saveIds(ids) { return this.http.put(`${QUEUES}/order`, { ids }); }

  content() {
    const { t } = this;
    return html`<p class="set-help area-about">${t("queues.about")}</p>
      ${this.entries()}
      ${this.moving()}
      ${this.order.length ? html`<section class="set-lines">${this.choice({
        name: "load", label: t("queues.counts"), help: t("queues.counts.about"), chosen: this.#load,
        options: LOADS.map((name) => [name, t(`queues.counts.${name}`)]), run: (load) => this.#count(load),
      })}</section>` : ""}`;
  }

  // The numbers go on changing while the page is shown.
  about(queue) {
    const { t } = this;
    const { waiting: count, accepting, eligible } = this.ui.queues.part?.board.of(queue.id) ?? queue;
    const admins = queue.admins === "all" ? t("queues.admins.all") : queue.admins.join(", ");
    return html`<bdi translate="no" class="policy-name">${shown(queue.name)}</bdi>
      <span class="policy-query">${t(`queues.mode.${queue.mode}`)} · <bdi>${admins}</bdi></span>
      <span class="policy-about">${t("queues.numbers", {
        count, accepting: t.number(accepting), eligible: t.number(eligible),
      })}</span>`;
  }

  #count(load) {
    return this.run(async () => { this.#load = (await this.http.put(`${QUEUES}/load`, { load })).load; });
  }

  /** @param {Queue | null} queue null: a new one */
  edit(queue) {
    const taken = new Set(this.saved.map(({ view }) => view));
    const views = this.#views.filter(({ id, owner }) => owner !== "me" && (id === queue?.view || !taken.has(id)));
    const form = new QueueForm({
      data: this.data, net: this.net, ui: this.ui, acts: this.acts, area: this.area, queue, views, desks: this.#desks,
      left: (saved) => (saved ? this.#saved(saved) : this.area.leaveForm()),
    });
    form.look(0);
    this.openForm(form);
  }

  #saved({ name }) {
    this.closeForm();
    return this.run(async () => {
      await this.begin();
      this.area.say(this.t("queues.saved", { name: shown(name) }));
    });
  }

  async remove({ id, name, waiting: count }) {
    const { t } = this;
    const given = { name: shown(name), count };
    const sure = await this.sure({
      title: t("queues.delete.title", given), text: t("queues.delete.text", given), yes: t("queues.delete.yes"),
    });
    if (!sure) return;
    await this.run(async () => {
      await this.http.delete(`${QUEUES}/${id}`);
      await this.begin();
      this.area.say(t("queues.deleted", given));
    });
  }
}
