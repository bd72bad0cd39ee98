// The page of policies for supervisors, in order: the first one that fits a thread counts.

import { html } from "lit-html";

import { after, fieldsOf, LateCheck, Recompute } from "../core/hours/policies.js";
import { shown } from "../core/names.js";
import { PolicyForm } from "../ui/hours/policy-form.js";
import { CALENDARS, lateBy, lateLine, POLICIES } from "../ui/hours/saving.js";
import { targetsText } from "../ui/hours/words.js";
import { OrderedPage } from "./ordered.js";

/** @extends {OrderedPage<Policy>} */
export class PoliciesPage extends OrderedPage {
  /** @type {Calendar[]} */
  #calendars = [];

  /** @param {Page & { area: import("./area.js").SettingsArea }} page */
  constructor(page) {
    super(page);
    const changed = () => this.area.paint();
    this.check = new LateCheck({ ask: lateBy(this.http), changed });
    this.recompute = new Recompute({ ask: () => this.http.get(POLICIES), changed });
  }

  get kind() { return "policies"; }

  get action() {
    const fresh = { id: undefined, name: "", query: "", calendar: 0, first_reply: 30, next_reply: 60 };
    return this.saved && !this.isMoved && { text: this.t("policies.new"), run: () => this.edit(fresh) };
  }

  async begin() {
    const [{ policies, recompute }, { calendars }] = await Promise.all([this.http.get(POLICIES),
      this.http.get(CALENDARS)]);
    this.take(policies);
    this.#calendars = calendars;
    this.recompute.watch(recompute, { soon: true });
  }

  end() {
    super.end();
    this.recompute.stop();
    this.check.stop();
  }

  async read() { return (await this.http.get(POLICIES)).policies; }
  saveIds(ids) { return this.http.put(`${POLICIES}/order`, { ids }); }
  effect() { return lateLine(this.check, this.t); }
  looked(waitMs = undefined) { this.check.look(this.isMoved ? this.order.map(fieldsOf) : null, waitMs); }

  content() {
    const { t } = this;
    return html`<p class="set-help area-about">${t("policies.about")}
        <a href="/settings/hours" @click=${(event) => this.area.followLink(event,
          "hours")}>${t("settings.hours")}</a></p>
      ${progressLine(this.recompute.progress, t)}
      ${this.entries()}
      ${this.order.length ? html`<p class="policy-rest">${t("policies.rest")}</p>` : ""}
      ${this.moving()}`;
  }

  about(policy) {
    const { t, ui: { language } } = this;
    const calendar = this.#calendars.find(({ id }) => id === policy.calendar);
    return html`<bdi translate="no" class="policy-name">${shown(policy.name)}</bdi>
        <span class="policy-query" dir="auto">${shown(policy.query) || t("query.all")}</span>
        <span class="policy-about">${targetsText(policy, language)} · <bdi
          translate="no">${shown(calendar?.name ?? "")}</bdi></span>`;
  }

  edit(policy) {
    const { net, ui, area } = this;
    const form = new PolicyForm({
      net, ui, area, policy, policies: this.saved, calendars: this.#calendars,
        openCalendars: () => area.open("hours"),
      left: (saved) => (saved ? this.#saved(saved) : area.leaveForm()),
    });
    form.look(0);
    this.openForm(form);
  }

  #saved({ name }) {
    this.closeForm();
    return this.run(async () => {
      await this.begin();
      this.area.say(this.t("policies.saved", { name }));
    });
  }

  // Before deleting it, says how many threads would be late without it.
  async remove({ id, name }) {
    const { t, http } = this;
    if (this.busy) return;
    this.busy = true;
    const found = await lateBy(http)(after(this.saved, { id, fields: null })).catch(() => null);
    this.busy = false;
    const late = found ? t("policies.delete.late", { count: found.late_after, now: found.late_now }) : "";
    const sure = await this.sure({
      title: t("policies.delete.title", { name }), text: `${t("policies.delete.text")} ${late}`.trim(),
        yes: t("hours.act.delete"),
    });
    if (!sure) return;
    await this.run(async () => {
      await http.delete(`${POLICIES}/${id}`);
      await this.begin();
      this.area.say(t("policies.deleted", { name }));
    });
  }
}

// The progress of recomputing the due times of waiting threads after a change.

// Screen readers read only its beginning and its end.
/** @param {Progress | null} progress @param {Translate} t */
const progressLine = (progress, t) => html`<div class="recompute" data-running=${progress !== null}>
  <p class="unseen" role="status">${progress ? t("recompute") : ""}</p>
  ${progress ? html`<progress aria-label=${t("recompute")} max=${Math.max(1, progress.of)}
    value=${progress.done}></progress>
    <span aria-hidden="true">${t("recompute.progress", { count: progress.done,
      of: progress.of })}</span>` : ""}</div>`;
