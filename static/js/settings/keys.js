// The page of API keys: lists, creates and revokes them.

import { html, render } from "lit-html";

import { at, openPage } from "./page.js";

const API = "/admin/api/keys";

const { http, t, time, say, doing: run } = await openPage();

async function load() {
  const { keys } = await http.get(API);
  render(keys.length ? table(keys) : html`<p>${t("keys.none")}</p>`, at("list"));
}

const doing = (work) => run(work, load);

const COLUMNS = ["keys.source", "keys.key", "keys.scopes", "keys.desk", "keys.made", "keys.used", "keys.revoke"];

function table(keys) {
  return html`<table class="keys">
    <thead><tr>${COLUMNS.map((name) => html`<th scope="col">${t(name)}</th>`)}</tr></thead>
    <tbody>${keys.toReversed().map(line)}</tbody></table>`;
}

function line(key) {
  const { id, prefix, source, scopes, handoff, desk, rate, created_at: made, last_used_at: used } = key;
  return html`<tr data-id=${id} data-revoked=${String(key.revoked_at !== null)}>
    <td><bdi translate="no">${source}</bdi></td>
    <td><code>lu_${prefix}</code></td>
    <td>${scopes.map((scope) => t.named("keys.scope", scope)).join(", ")}${rate === null ? ""
      : html`<br>${t("keys.rate.shown", { count: rate })}`}</td>
    <td><bdi translate="no">${desk}</bdi>${handoff ? html`<br>${t("keys.waits.handoff")}` : ""}</td>
    <td>${time.format(made)}</td>
    <td>${used === null ? t("keys.unused") : time.format(used)}</td>
    <td>${key.revoked_at === null ? html`<button type="button" class="button"
      aria-label=${t("keys.revoke.of", { key: `lu_${prefix}` })} @click=${() => revoke(key)}
      >${t("keys.revoke")}</button>` : t("keys.revoked", { time: time.format(key.revoked_at) })}</td></tr>`;
}

function revoke({ id, prefix, source }) {
  const key = `lu_${prefix}`;
  if (!window.confirm(t("keys.revoke.sure", { key, source }))) return;
  doing(async () => {
    await http.delete(`${API}/${id}`);
    say(t("keys.revoke.done", { key }));
  });
}

at("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const given = new FormData(form);
  doing(async () => {
    const { key } = await http.post(API, {
      source: given.get("source"),
      scopes: given.getAll("scopes"),
      handoff: given.has("handoff"),
      desk: given.get("desk") || null,
      rate: given.get("rate") ? Number(given.get("rate")) : null,
    });
    say(t("keys.created"), key, t("keys.copy"));
    form.reset();
  });
});

await doing(async () => {});
