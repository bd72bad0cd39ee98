// The page of accounts: admins with their roles and desks, and invitations.

import { html } from "lit-html";

import { field, formActs, given, person, rowMenu, SettingsPage, table } from "./elements.js";

const API = "/admin/api";
const POLL_MS = 1000;
const CAPACITY_MAX = 100;

export class AccountsPage extends SettingsPage {
  #accounts = null;
  #invitations = [];
  #desks = [];
  #roles = ["admin", "supervisor"];

  get isWide() { return this.form === null; }
  get action() { return { text: this.t("team.invite"), run: () => this.#invite() }; }

  begin() { return this.#load(); }

  async #load() {
    const { accounts, invitations, desks } = await this.http.get(`${API}/accounts`);
    this.#accounts = accounts;
    this.#invitations = invitations;
    this.#desks = desks;
  }

  // Runs the work, and reads the accounts again. run: `run`, or `send` for a form.
  #act(work, run = this.run) {
    return run.call(this, async () => {
      await work();
      await this.#load();
    });
  }

  content() {
    const { t } = this;
    if (!this.#accounts) return html`<p class="set-help">${t("loading")}</p>`;
    return html`<p class="set-help">${t("team.about")}</p>
      ${table({
        className: "accounts", label: t("settings.accounts"), actions: t("team.acts"),
        columns: ["team.person", "team.role", "team.desks", "team.seen"].map((name) => t(name)),
        rows: this.#accounts.map((account) => this.#row(account)),
      })}
      <section><h2>${t("team.open")}</h2>
        ${this.#invitations.length ? html`<ul class="invitations">${
          this.#invitations.map((each) => this.#invited(each))}</ul>`
          : html`<p class="set-help">${t("team.open.none")}</p>`}</section>`;
  }

  #row(account) {
    const { t, data: { adminId } } = this;
    const { id, name, email, role, desks, second_factor: factor, disabled_at: off, releasing } = account;
    return html`<tr data-id=${id} data-off=${String(off !== null)}>
      <td>${person({
        id: `admin/${id}`, name, after: id === adminId ? ` (${t("team.you")})` : "",
        open: () => this.#change(account),
        below: html`${email}${factor ? html` · <span
          class="account-factor">${t("team.factor")}</span>` : ""}`,
      })}</td>
      <td>${t.named("team.as", role)}</td>
      <td>${role === "supervisor" ? t("team.desks.all") : desks.join(", ")}</td>
      <td>${off === null ? this.#seen(account) : html`${t("team.disabled")} ${this.when(off)}`}${
        releasing ? html`<span class="set-help">${t("team.releasing",
          { count: releasing })}</span>` : ""}</td>
      <td>${rowMenu({
        id: `account-menu-${id}`, label: `${t("team.acts")}: ${name}`, items: this.#items(account),
      })}</td></tr>`;
  }

  #seen({ status, last_seen_at: at }) {
    const { t } = this;
    if (status && status !== "offline") return html`<span class="set-here">${t("team.here")}</span>`;
    return at === null ? t("team.never") : this.when(at);
  }

  #items(account) {
    const { t, data: { adminId } } = this;
    const { id, second_factor: factor, disabled_at: off } = account;
    const isOther = id !== adminId;
    return [
      { text: t("team.change"), run: () => this.#change(account) },
      ...(off === null ? [{ text: t("team.out"), isRed: true, run: () => this.#signOut(account) }] : []),
      ...(factor && isOther ? [{ text: t("team.factor.reset"), isRed: true,
        run: () => this.#resetFactor(account) }] : []),
      ...(off === null && isOther ? [{ text: t("team.disable"), isRed: true,
        run: () => this.#disable(account) }] : []),
      ...(off === null ? [] : [{ text: t("team.enable"), run: () => this.#enable(account) }]),
    ];
  }

  #invited({ id, email, role, desks, expires_at: end }) {
    const { t, ui: { language: { words } } } = this;
    const what = [t.named("team.as", role), ...(role === "supervisor" ? [] : [desks.join(", ")])];
    return html`<li data-id=${id}><span class="set-name"><bdi translate="no">${email}</bdi><span
      class="set-help">${
      what.join(" · ")} · ${t("team.until", { time: words.dated(end, this.net.now()) })}</span></span>
      <button type="button" class="button set-red" aria-label=${t("team.withdraw.of", { email })}
        @click=${() => this.#withdraw(id, email)}>${t("team.withdraw")}</button></li>`;
  }

  #withdraw(id, email) {
    return this.#act(async () => {
      await this.http.delete(`${API}/invitations/${id}`);
      this.area.say(this.t("team.withdrawn", { email }));
    });
  }

  // The fields of role and desks, which an invitation and an account share.
  #rights(role, desks) {
    const { t } = this;
    return html`${field(t("team.role"), html`<select name="role">${this.#roles.map((each) => html`<option
      value=${each}
        ?selected=${each === role}>${t.named("team.as", each)}</option>`)}</select>`, t("team.role.help"))}
      <fieldset class="set-checks"><legend class="set-label">${t("team.desks")}</legend>${
        this.#desks.map((desk) => html`<label
        class="choice"><input type="checkbox" name="desks" value=${desk}
          ?checked=${desks.includes(desk)}> ${desk}</label>`)}</fieldset>`;
  }

  #invite() {
    const { t } = this;
    const first = this.#desks.slice(0, 1);
    this.openForm({
      title: t("team.invite"),
      content: () => html`<form class="set-form" id="new" @submit=${(event) => this.#sendInvitation(event)}>
        ${field(t("team.email"), html`<input name="email" type="email" required maxlength="254"
          autocomplete="off">`)}
        ${field(t("team.name"), html`<input name="name" maxlength="128"
          autocomplete="off">`, t("team.optional"))}
        ${this.#rights("admin", first)}
        ${formActs({ save: t("team.create"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #sendInvitation(event) {
    const { t } = this;
    const values = given(event);
    if (values.get("role") !== "supervisor" && !values.has("desks")) {
      this.area.say(t("team.desks.choose"));
      return /** @type {HTMLElement} */ (this.area.root.querySelector(".set-checks input")).focus();
    }
    return this.#act(async () => {
      const { invitation, link } = await this.http.post(`${API}/invitations`, {
        email: values.get("email"), name: values.get("name") || null, role: values.get("role"),
          desks: values.getAll("desks"),
      });
      this.closeForm();
      this.area.say(t("team.created", { email: invitation.email }), link, t("team.copy"));
    }, this.send);
  }

  #change(account) {
    const { t } = this;
    this.openForm({
      title: t("team.change.of", { name: account.name }),
      content: () => html`<form class="set-form account-editor"
        @submit=${(event) => this.#save(event, account)}>
        ${field(t("team.name"), html`<input name="name" required maxlength="128" autocomplete="off"
          value=${account.name}>`)}
        ${account.id === this.data.adminId ? "" : field(t("team.email"), html`<input name="email" type="email"
          required maxlength="254" autocomplete="off" value=${account.email}>`, t("team.email.help"))}
        ${this.#rights(account.role, account.desks)}
        ${field(t("team.capacity"), html`<input name="capacity" type="number" min="0" max=${CAPACITY_MAX} required
          value=${account.capacity ?? ""}>`, t("team.capacity.help"))}
        ${formActs({ save: t("team.save"), cancel: () => this.area.leaveForm(), t })}</form>`,
    });
  }

  #save(event, { id, changed_at }) {
    const values = given(event);
    const body = {
      name: values.get("name"), role: values.get("role"), desks: values.getAll("desks"), changed_at,
      capacity: Number(values.get("capacity")),
      ...(values.has("email") ? { email: values.get("email") } : {}),
    };
    return this.#act(async () => {
      const { released } = await this.http.put(`${API}/accounts/${id}`, body);
      this.closeForm();
      this.area.say(released ? this.t("team.saved", { count: released }) : this.t("team.saved.alone"));
    }, this.send);
  }

  async #signOut({ id, name }) {
    const { t } = this;
    if (!await this.sure({ title: t("team.out"), text: t("team.out.sure", { name }),
      yes: t("team.out") })) return;
    await this.#act(async () => {
      await this.net.api.signOthersOut(id);
      this.area.say(t("team.out.done", { name }));
    });
  }

  async #resetFactor({ id, name }) {
    const { t } = this;
    const title = t("team.factor.reset");
    if (!await this.sure({ title, text: t("team.factor.reset.sure", { name }), yes: title })) return;
    await this.#act(async () => {
      await this.http.post(`${API}/team/${id}/reset-second-factor`);
      this.area.say(t("team.factor.reset.done", { name }));
    });
  }

  async #disable({ id, name, changed_at }) {
    const { t } = this;
    const title = t("team.disable.of", { name });
    if (!await this.sure({ title, text: t("team.disable.sure", { name }), yes: t("team.disable") })) return;
    await this.#act(async () => {
      const { released, remaining } = await this.http.post(`${API}/accounts/${id}/disable`, { changed_at });
      await this.#follow({ id, name }, released, remaining);
      this.area.say(t(released ? "team.disable.done" : "team.disable.alone", { name, count: released }));
    });
  }

  // Shows how many threads are still to be released after the server's answer.
  async #follow({ id, name }, total, left) {
    const { t } = this;
    while (left) {
      this.area.say(t("team.disable.going", { name, done: t.number(total - left), total: t.number(total) }));
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
      const { accounts } = await this.http.get(`${API}/accounts`);
      left = Math.min(total, accounts.find((account) => account.id === id)?.releasing ?? 0);
    }
  }

  #enable({ id, name, changed_at }) {
    return this.#act(async () => {
      await this.http.post(`${API}/accounts/${id}/enable`, { changed_at });
      this.area.say(this.t("team.enable.done", { name }));
    });
  }
}
