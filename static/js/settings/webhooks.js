// The page of webhooks: lists, creates and revokes them, and shows their deliveries.

import { html, render } from "lit-html";

import { momentOfFields, ownZone } from "../core/time.js";
import { at, openPage } from "./page.js";

const API = "/admin/api/webhooks";
const LOOK_MS = 5000;

const { http, t, time, say, doing: run } = await openPage();

const state = { webhooks: [], logOf: null, attempts: [], more: false };

async function load() {
  state.webhooks = (await http.get(API)).webhooks;
  render(state.webhooks.length ? state.webhooks.map(item) : html`<p>${t("webhooks.none")}</p>`, at("list"));
}

async function loadLog(before = null) {
  const { logOf } = state;
  if (logOf === null) return;
  const found = await http.get(`${API}/${logOf}/log?limit=50${before ? `&before=${before}` : ""}`);
  if (logOf !== state.logOf) return;
  state.attempts = before ? [...state.attempts, ...found.attempts] : found.attempts;
  state.more = found.more;
  at("log").hidden = false;
  render(log(), at("log"));
}

const sayWithSecret = (text, secret) => say(text, secret, t("webhooks.copy"));

const doing = (work) => run(work, async () => {
  await load();
  await loadLog();
});

const standing = ({ disabled_at: off, disabled_why: why, failing_since: failing }) => {
  if (off) {
    return ["off", t("webhooks.off", { time: time.format(off), why: t.named("webhooks.why", why) })];
  }
  if (failing) return ["failing", t("webhooks.failing", { time: time.format(failing) })];
  return ["good", t("webhooks.active")];
};

const isTaken = ({ status, error }) => status >= 200 && status < 300 && !error;

function inWords({ status, error }) {
  if (status === null || status === undefined || error) return t.named("webhooks.error", error);
  const given = { status: String(status) };
  return isTaken({ status, error }) ? t("webhooks.answered", given) : t("webhooks.refused", given);
}

function item(webhook) {
  const { id, source, url, events, waiting } = webhook;
  const [kind, text] = standing(webhook);
  return html`<article class="webhook settings-card" data-id=${id} data-state=${kind}>
    <h2><bdi translate="no">${source}</bdi></h2>
    <p class="webhook-url"><bdi translate="no">${url}</bdi></p>
    <p>${events ? events.join(", ") : t("webhooks.all_events")} · <span class="webhook-state">${text}</span>
      · ${t("webhooks.waiting", { count: waiting })}</p>
    <div class="settings-acts">
      <button type="button" class="button" @click=${() => doing(() => test(id))}
        >${t("webhooks.test")}</button>
      <button type="button" class="button" @click=${() => doing(() => show(id))}
        >${t("webhooks.log")}</button>
      <button type="button" class="button" @click=${() => doing(() => rotate(id))}
        >${t("webhooks.rotate")}</button>
      ${kind === "off" ? html`<button type="button" class="button"
        @click=${() => doing(() => http.post(`${API}/${id}/enable`))}>${t("webhooks.enable")}</button>` : ""}
      <button type="button" class="button" @click=${() => revoke(webhook)}
        >${t("webhooks.revoke")}</button>
    </div>
    <form class="settings-acts webhook-replay" @submit=${(event) => replayTime(event, id)}>
      <label>${t("webhooks.replay.from")} <input type="datetime-local" name="since" required></label>
      <label>${t("webhooks.replay.to")} <input type="datetime-local" name="until"></label>
      <button class="button" type="submit">${t("webhooks.replay")}</button>
    </form>
  </article>`;
}

async function test(id) {
  const answer = await http.post(`${API}/${id}/test`);
  say(t("webhooks.tested", { answer: inWords(answer), took: answer.took_ms }));
}

async function show(id) { state.logOf = id; }

async function rotate(id) {
  const { secret } = await http.post(`${API}/${id}/rotate`);
  sayWithSecret(t("webhooks.rotated"), secret);
}

function revoke({ id, url }) {
  if (!window.confirm(t("webhooks.revoke.sure", { url }))) return;
  if (state.logOf === id) {
    state.logOf = null;
    at("log").hidden = true;
  }
  doing(() => http.delete(`${API}/${id}`));
}

function replayTime(event, id) {
  event.preventDefault();
  const given = new FormData(event.target);
  const ms = (name) => {
    const [date, time] = String(given.get(name)).split("T");
    return time ? momentOfFields(date, time, ownZone()) : null;
  };
  doing(() => replay(id, { since: ms("since"), until: ms("until") }));
}

async function replay(id, which) {
  const { replayed } = await http.post(`${API}/${id}/replay`, which);
  say(t("webhooks.replayed", { count: replayed }));
}

function log() {
  const { attempts, more } = state;
  return html`<h2>${t("webhooks.log")}</h2>
    ${attempts.length ? html`<div class="settings-table"><table>
      <thead><tr>${["when", "event", "answer", "took"].map((name) => html`<th scope="col"
        >${t(`webhooks.log.${name}`)}</th>`)}<th scope="col"></th></tr></thead>
      <tbody>${attempts.map(line)}</tbody></table></div>` : html`<p>${t("webhooks.log.none")}</p>`}
    ${more ? html`<button type="button" class="button"
      @click=${() => loadLog(attempts.at(-1).id)}>${t("webhooks.log.older")}</button>` : ""}`;
}

function line({ at: when, took_ms: took, request, status, error, answer, delivery }) {
  const said = inWords({ status, error });
  const event = request.body;
  return html`<tr data-good=${String(isTaken({ status, error }))}>
    <td>${time.format(when)}</td>
    <td><details><summary>${event ? `${event.type} · ${event.thread}` : t("webhooks.test")}</summary>
      <pre tabindex="0">${JSON.stringify(request.headers, null, 2)}

${event ? JSON.stringify(event, null, 2) : ""}</pre></details></td>
    <td>${answer ? html`<details><summary>${said}</summary><pre tabindex="0">${answer}</pre></details>`
      : said}${delivery?.state === "pending" ? html`<br>${t("webhooks.log.again", { time: time.format(delivery.next_at) })}` : ""}</td>
    <td>${took} ms</td>
    <td>${event ? html`<button type="button" class="button"
      @click=${() => doing(() => replay(state.logOf, { event: event.id }))}
      >${t("webhooks.replay")}</button>` : ""}</td></tr>`;
}

at("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const given = new FormData(form);
  const events = given.getAll("events");
  doing(async () => {
    const { secret } = await http.post(API, {
      source: given.get("source"), url: given.get("url"), events: events.length ? events : null,
    });
    sayWithSecret(t("webhooks.created"), secret);
    form.reset();
  });
});

await doing(async () => {});
setInterval(() => { if (document.visibilityState === "visible") load().catch(() => {}); }, LOOK_MS);
