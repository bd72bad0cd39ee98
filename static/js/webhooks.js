// The page of webhooks: lists them, makes and ends them, shows what was delivered.

import { html, render } from "lit-html";

import { Http } from "./net/http.js";

const API = "/admin/api/webhooks";
const LOOK_MS = 5000;

const at = (id) => document.getElementById(id);
const http = new Http({ signedOut: () => location.assign("/login?next=/webhooks") });
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

const state = { webhooks: [], logOf: null, attempts: [], more: false };

async function load() {
  state.webhooks = (await http.get(API)).webhooks;
  render(state.webhooks.length ? state.webhooks.map(item) : html`<p>There are none yet.</p>`, at("list"));
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

const say = (text, secret = "") => render(
  html`${text} ${secret ? html`<code class="webhooks-secret">${secret}</code>` : ""}`, at("note"),
);

// Does it, says what came of it, and shows how things stand then.
async function doing(work) {
  try {
    await work();
    await load();
    await loadLog();
  } catch (error) {
    say(error.status === 0 ? "The server could not be reached." : error.detail || "That did not work.");
  }
}

const standing = ({ disabled_at: off, disabled_why: why, failing_since: failing }) => {
  if (off) return ["off", `Switched off (${why}) since ${time.format(off)}`];
  if (failing) return ["failing", `Failing since ${time.format(failing)}`];
  return ["good", "Active"];
};

function item(webhook) {
  const { id, source, url, events, waiting } = webhook;
  const [kind, text] = standing(webhook);
  return html`<article class="webhook" data-id=${id} data-state=${kind}>
    <h2><bdi>${source}</bdi></h2>
    <p class="webhook-url"><bdi>${url}</bdi></p>
    <p>${events ? events.join(", ") : "All events"} · <span class="webhook-state">${text}</span>
      · ${waiting} waiting</p>
    <div class="webhook-acts">
      <button type="button" class="button" @click=${() => doing(() => test(id))}>Test</button>
      <button type="button" class="button" @click=${() => doing(() => show(id))}>Deliveries</button>
      <button type="button" class="button" @click=${() => doing(() => rotate(id))}>Rotate secret</button>
      ${kind === "off" ? html`<button type="button" class="button"
        @click=${() => doing(() => http.post(`${API}/${id}/enable`))}>Switch on</button>` : ""}
      <button type="button" class="button" @click=${() => revoke(webhook)}>Revoke</button>
    </div>
    <form class="webhook-replay" @submit=${(event) => replayTime(event, id)}>
      <label>Send again from <input type="datetime-local" name="since" required></label>
      <label>to <input type="datetime-local" name="until"></label>
      <button class="button" type="submit">Send again</button>
    </form>
  </article>`;
}

async function test(id) {
  const { status, error, took_ms: took } = await http.post(`${API}/${id}/test`);
  say(`Test: ${status ?? error} in ${took} ms.`);
}

async function show(id) { state.logOf = id; }

async function rotate(id) {
  const { secret } = await http.post(`${API}/${id}/rotate`);
  say("The new secret, shown this once (the old one signs along for a day):", secret);
}

function revoke({ id, url }) {
  if (!window.confirm(`Revoke the webhook to ${url}? What waits for it is given up.`)) return;
  if (state.logOf === id) {
    state.logOf = null;
    at("log").hidden = true;
  }
  doing(() => http.delete(`${API}/${id}`));
}

function replayTime(event, id) {
  event.preventDefault();
  const given = new FormData(event.target);
  const ms = (name) => (given.get(name) ? new Date(given.get(name)).getTime() : null);
  doing(() => replay(id, { since: ms("since"), until: ms("until") }));
}

async function replay(id, which) {
  const { replayed } = await http.post(`${API}/${id}/replay`, which);
  say(`Sent again: ${replayed}.`);
}

function log() {
  const { attempts, more } = state;
  return html`<h2>Deliveries</h2>
    ${attempts.length ? html`<div class="webhooks-table"><table>
      <thead><tr><th scope="col">When</th><th scope="col">Event</th><th scope="col">Answer</th>
        <th scope="col">Took</th><th scope="col"></th></tr></thead>
      <tbody>${attempts.map(line)}</tbody></table></div>` : html`<p>Nothing was sent yet.</p>`}
    ${more ? html`<button type="button" class="button"
      @click=${() => loadLog(attempts.at(-1).id)}>Older</button>` : ""}`;
}

function line({ at: when, took_ms: took, request, status, error, answer, delivery }) {
  const good = status >= 200 && status < 300 && !error;
  const event = request.body;
  return html`<tr data-good=${String(good)}>
    <td>${time.format(when)}</td>
    <td><details><summary>${event ? `${event.type} · ${event.thread}` : "test"}</summary>
      <pre tabindex="0">${JSON.stringify(request.headers, null, 2)}

${event ? JSON.stringify(event, null, 2) : ""}</pre></details></td>
    <td>${answer ? html`<details><summary>${status ?? error}</summary><pre tabindex="0">${answer}</pre></details>`
      : status ?? error}${delivery?.state === "pending" ? html`<br>again ${time.format(delivery.next_at)}` : ""}</td>
    <td>${took} ms</td>
    <td>${event ? html`<button type="button" class="button"
      @click=${() => doing(() => replay(state.logOf, { event: event.id }))}>Send again</button>` : ""}</td></tr>`;
}

at("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const given = new FormData(form);
  const events = given.getAll("events");
  doing(async () => {
    const { secret } = await http.post(API, {
      source: given.get("source"), url: given.get("url"), events: events.length ? events : null,
    });
    say("Created. Its secret, shown this once:", secret);
    form.reset();
  });
});

await doing(async () => {});
setInterval(() => { if (document.visibilityState === "visible") load().catch(() => {}); }, LOOK_MS);
