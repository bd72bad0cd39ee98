// The page of accounts: admins with their roles and desks, and invitations.

import { html, render } from "lit-html";

import { shown } from "../core/names.js";
import { at, openPage } from "./page.js";

const API = "/admin/api";
const POLL_MS = 1000;

const { http, t, time, say, doing: run } = await openPage();

const state = { accounts: [], desks: [], me: null, changing: null };

async function load() {
  const found = await http.get(`${API}/accounts`);
  Object.assign(state, { accounts: found.accounts, desks: found.desks });
  state.me ??= (await http.get(`${API}/me`)).id;
  paint();
  render(invitations(found.invitations), at("invitations"));
}

const paint = () => render(table(), at("list"));

const doing = (work) => run(work, load);

const COLUMNS = ["team.person", "team.role", "team.desks", "team.seen", "team.acts"];

function table() {
  return html`<table class="accounts">
    <thead><tr>${COLUMNS.map((name) => html`<th scope="col">${t(name)}</th>`)}</tr></thead>
    <tbody>${state.accounts.map((account) => [
      line(account), account.id === state.changing ? editor(account) : ""])}</tbody></table>`;
}

function line(account) {
  const { id, name, email, role, desks, second_factor: factor, disabled_at: off } = account;
  return html`<tr data-id=${id} data-off=${String(off !== null)}>
    <td><bdi translate="no">${shown(name)}</bdi>${id === state.me ? ` (${t("team.you")})` : ""}<br>
      <span class="account-email">${email}</span>${factor ? html`<br>
      <span class="account-factor">${t("team.factor")}</span>` : ""}</td>
    <td>${t.named("team.as", role)}</td>
    <td>${role === "supervisor" ? t("team.desks.all") : desks.join(", ")}</td>
    <td>${off === null ? seen(account) : t("team.disabled", { time: time.format(off) })}${
      account.releasing ? html`<br>${t("team.releasing", { count: account.releasing })}` : ""}</td>
    <td><div class="account-acts">${acts(account)}</div></td></tr>`;
}

function seen({ status, last_seen_at: at }) {
  if (status && status !== "offline") return t("team.here");
  return at === null ? t("team.never") : time.format(at);
}

const button = (text, label, act) => html`<button type="button" class="button" aria-label=${label}
  @click=${act}>${text}</button>`;

function acts(account) {
  const { name, id, disabled_at: off } = account;
  const given = { name };
  return [
    button(t("team.change"), t("team.change.of", given), () => open(id)),
    off === null ? button(t("team.out"), t("team.out.of", given), () => signOut(account)) : "",
    account.second_factor && id !== state.me
      ? button(t("team.factor.reset"), t("team.factor.reset.of", given), () => resetFactor(account)) : "",
    off === null && id !== state.me
      ? button(t("team.disable"), t("team.disable.of", given), () => disable(account)) : "",
    off === null ? "" : button(t("team.enable"), t("team.enable.of", given), () => enable(account)),
  ];
}

function open(id) {
  state.changing = state.changing === id ? null : id;
  paint();
  const first = document.querySelector(state.changing === null
    ? `[data-id="${id}"] .account-acts button` : ".account-editor input");
  /** @type {HTMLElement} */ (first)?.focus();
}

function editor(account) {
  const { id, name, role, desks } = account;
  return html`<tr class="account-editor"><td colspan=${COLUMNS.length}>
    <form class="settings-form" @submit=${(event) => save(event, account)}
      @keydown=${(event) => { if (event.key === "Escape") open(id); }}>
      <label><span>${t("team.name")}</span>
        <input name="name" required maxlength="128" autocomplete="off" .value=${name}></label>
      <label><span>${t("team.role")}</span><select name="role">${["admin", "supervisor"].map((each) => html`<option
        value=${each} ?selected=${each === role}>${t.named("team.as", each)}</option>`)}</select></label>
      <fieldset><legend>${t("team.desks")}</legend>${state.desks.map((desk) => html`<label><input
        type="checkbox" name="desks" value=${desk} .checked=${desks.includes(desk)}> ${desk}</label>`)}</fieldset>
      <button class="button button-accent" type="submit">${t("team.save")}</button>
      <button class="button" type="button" @click=${() => open(id)}>${t("team.cancel")}</button>
    </form></td></tr>`;
}

function save(event, { id, changed_at }) {
  event.preventDefault();
  const given = new FormData(event.target);
  const body = {
    name: given.get("name"), role: given.get("role"), desks: given.getAll("desks"), changed_at,
  };
  doing(async () => {
    const { released } = await http.put(`${API}/accounts/${id}`, body);
    open(id);
    say(t("team.saved", { count: released }));
  });
}

function signOut({ id, name }) {
  if (!window.confirm(t("team.out.sure", { name }))) return;
  doing(async () => {
    await http.post(`${API}/team/${id}/sign-out`);
    say(t("team.out.done", { name }));
  });
}

function resetFactor({ id, name }) {
  if (!window.confirm(t("team.factor.reset.sure", { name }))) return;
  doing(async () => {
    await http.post(`${API}/team/${id}/reset-second-factor`);
    say(t("team.factor.reset.done", { name }));
  });
}

function disable({ id, name, changed_at }) {
  if (!window.confirm(t("team.disable.sure", { name }))) return;
  doing(async () => {
    const { released, remaining } = await http.post(`${API}/accounts/${id}/disable`, { changed_at });
    await follow({ id, name }, released, remaining);
    say(t("team.disable.done", { name, count: released }));
  });
}

// Shows how many threads are still to be released after the server's answer.
async function follow({ id, name }, total, left) {
  while (left) {
    say(t("team.disable.going", { name, done: t.number(total - left), total: t.number(total) }));
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    const { accounts } = await http.get(`${API}/accounts`);
    left = Math.min(total, accounts.find((account) => account.id === id)?.releasing ?? 0);
  }
}

function enable({ id, name, changed_at }) {
  doing(async () => {
    await http.post(`${API}/accounts/${id}/enable`, { changed_at });
    say(t("team.enable.done", { name }));
  });
}

function invitations(open) {
  return html`<h3>${t("team.open")}</h3>${open.length ? html`<ul class="invitations">${open.map(invited)}</ul>`
    : html`<p>${t("team.open.none")}</p>`}`;
}

function invited({ id, email, role, desks, expires_at: end }) {
  const what = [t.named("team.as", role), ...(role === "supervisor" ? [] : [desks.join(", ")])];
  return html`<li data-id=${id}><span><bdi translate="no">${email}</bdi> · ${what.join(" · ")}
    · ${t("team.until", { time: time.format(end) })}</span>
    ${button(t("team.withdraw"), t("team.withdraw.of", { email }), () => withdraw(id, email))}</li>`;
}

function withdraw(id, email) {
  doing(async () => {
    await http.delete(`${API}/invitations/${id}`);
    say(t("team.withdrawn", { email }));
  });
}

at("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const given = new FormData(form);
  doing(async () => {
    const { invitation, link } = await http.post(`${API}/invitations`, {
      email: given.get("email"), name: given.get("name") || null, role: given.get("role"),
      desks: given.getAll("desks"),
    });
    say(t("team.created", { email: invitation.email }), link, t("team.copy"));
    form.reset();
  });
});

await doing(async () => {});
