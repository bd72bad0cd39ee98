// The page of the audit log: filters kept in the address, entries newest first, and exports.

import { html, render } from "lit-html";

import { fieldsOf, ownZone } from "../core/time.js";
import { fromAddress, linesOf, toAddress, toRequest } from "./audit-entries.js";
import { at, openPage } from "./page.js";

const API = "/admin/api/audit";
const LOOK_MS = 10_000;
// Below this scroll position, new entries are not inserted by themselves.
const AT_TOP_PX = 80;

const { http, t, time, say, doing } = await openPage();
const form = /** @type {HTMLFormElement} */ (at("filters"));

const state = {
  filters: fromAddress(location.search), entries: [], next: null, parts: 0, newer: false, asked: 0,
};

// before: the cursor of older entries; without it the newest entries replace all.
async function load(before = null) {
  const asked = ++state.asked;
  const found = await ask(before);
  if (asked !== state.asked) return;
  state.entries = before ? [...state.entries, ...found.entries] : found.entries;
  state.next = found.next;
  state.parts = before ? state.parts + 1 : 1;
  state.newer = false;
  show();
}

function ask(cursor = null) {
  const given = new URLSearchParams(Object.entries(toRequest(state.filters)).map(
    ([name, value]) => [name, String(value)],
  ));
  if (cursor) given.set("cursor", cursor);
  return http.get(`${API}?${given}`);
}

// Shows new entries at once, unless somebody reads further down.
async function look() {
  if (document.visibilityState !== "visible" || state.newer || !state.parts) return;
  const asked = state.asked;
  const { entries, next } = await ask();
  if (asked !== state.asked || entries[0]?.id === state.entries[0]?.id) return;
  const isReading = state.parts > 1 || scrollY > AT_TOP_PX || document.querySelector("#list [open]")
    || at("list").contains(document.activeElement);
  if (isReading) state.newer = true;
  else Object.assign(state, { entries, next });
  show();
}

function show() {
  render(state.newer ? html`<button type="button" class="button" @click=${newest}
    >${t("audit.newer")}</button>` : "", at("newer"));
  render(state.entries.length ? html`<ol class="audit-list settings-card" aria-label=${t("audit.entries")}
    >${state.entries.map(item)}</ol>${state.next ? html`<button type="button" class="button"
    @click=${() => doing(() => load(state.next))}>${t("audit.older")}</button>` : ""}`
    : html`<p>${t("audit.none_found")}</p>`, at("list"));
}

function newest() {
  scrollTo({ top: 0 });
  doing(() => load());
}

function item({ id, at: when, action, actor, target, data }) {
  const lines = linesOf(data, t, time);
  return html`<li class="audit-entry" data-id=${id} data-action=${action}>
    <time datetime=${new Date(when).toISOString()}>${time.format(when)}</time>
    <div class="audit-what">
      <p><strong>${t.named("audit.action", action)}</strong> ${named(target)}</p>
      ${lines.length ? html`<dl>${lines.map(({ name, text }) => html`<div><dt>${name}</dt>
        <dd><bdi>${text}</bdi></dd></div>`)}</dl>` : ""}
    </div>
    <div class="audit-who">${who(actor)}
      <span class="audit-where">${where(actor)}</span>
      ${actor.user_agent ? html`<details><summary>${t("audit.browser")}</summary>
        <bdi translate="no">${actor.user_agent}</bdi></details>` : ""}
    </div>
  </li>`;
}

function who({ email, name }) {
  if (!email && !name) return html`<span>${t("audit.nobody")}</span>`;
  return filtering(name || email, { actor: email || name }, email && email !== name ? email : "");
}

function where({ via, address }) {
  if (via === "command") return t("audit.via.command", { host: address });
  return via === "provider" ? t("audit.via.provider") : address;
}

function named({ kind, id, name }) {
  const shown = name || (id === null ? "" : `${t.named("audit.kind", kind)} ${id}`);
  return shown ? filtering(shown, { target: id === null ? name : `${kind}:${id}` }) : "";
}

// A name that filters the list when it is pressed.
const filtering = (shown, narrower, title = "") => html`<button type="button" class="audit-name"
  title=${title} aria-label=${t("audit.narrow", { name: shown })}
  @click=${() => choose({ ...state.filters, ...narrower })}><bdi translate="no">${shown}</bdi></button>`;

function choose(filters) {
  state.filters = filters;
  const address = `${location.pathname}${toAddress(filters)}`;
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  fill();
  say("");
  doing(() => load());
}

const fields = () => /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ (
  [...form.elements].filter((each) => each.getAttribute("name")));

function fill() {
  for (const field of fields()) field.value = state.filters[field.name];
}

const written = () => /** @type {import("./audit-entries.js").Filters} */ (
  Object.fromEntries(fields().map(({ name, value }) => [name, value.trim()])));

async function save(format) {
  const texts = [];
  let count = 0;
  /** @type {object | null} */
  let given = { ...toRequest(state.filters), format };
  do {
    const part = await http.post(`${API}/export`, given);
    texts.push(part.text);
    count += part.entries;
    given = part.next && { cursor: part.next };
    say(t("audit.exported", { count }));
  } while (given);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(texts, { type: format === "csv" ? "text/csv" : "application/jsonl" }));
  link.download = `lineup-audit-${fieldsOf(Date.now(), ownZone()).date}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LOOK_MS);
}

function nameActions() {
  for (const group of form.querySelectorAll("optgroup")) {
    group.label = t.named("audit.kind", group.dataset.of);
    for (const option of group.querySelectorAll("option")) {
      option.textContent = option.value === group.dataset.of
        ? t("audit.action.all_of", { kind: group.label }) : t.named("audit.action", option.value);
    }
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  choose(written());
});
form.addEventListener("change", () => choose(written()));
form.addEventListener("reset", (event) => {
  event.preventDefault();
  choose(fromAddress(""));
});
addEventListener("popstate", () => choose(fromAddress(location.search)));
/** @type {NodeListOf<HTMLButtonElement>} */
const exports = document.querySelectorAll("[data-export]");
for (const button of exports) {
  button.addEventListener("click", () => doing(async () => {
    button.disabled = true;
    try {
      await save(button.dataset.export);
    } finally {
      button.disabled = false;
    }
  }));
}

nameActions();
fill();
await doing(() => load());
setInterval(() => { look().catch(() => {}); }, LOOK_MS);
