// Presence in words, in the language of the page.

import { html } from "lit-html";

import { initial } from "../../core/names.js";
import { hueStep, nameOf } from "../elements/avatar.js";

const WRITES = new Set(["editing", "typing"]);
const ACTIVITIES = ["in_call", "in_meeting", "presenting", "focus"];

export function seenText({ unit, count }, t) {
  return t(`seen.${unit}`, { count });
}

/** @param {string} activity @param {Translate} t */
const activityText = (activity, t) => (
  ACTIVITIES.includes(activity) ? t(`activity.${activity}`) : activity
);

// Returns "Do not disturb", "Away", or when the person was last seen.
/** @param {PersonKind} kind @param {string | number} id @param {Translate} t */
export function statusText(presence, kind, id, t) {
  const state = presence.of(kind, id);
  const named = state && ["away", "busy", "dnd"].includes(state.status);
  return named ? t(`status.${state.status}`) : seenText(presence.age(kind, id), t);
}

// Returns all of it in one line: status, activity, text, devices.
/** @param {PersonKind} kind @param {string | number} id @param {Translate} t */
export function presenceLine(presence, kind, id, t) {
  const state = presence.of(kind, id);
  const devices = [...new Set(state?.devices ?? [])].map((type) => t(`device.${type}`));
  return [
    statusText(presence, kind, id, t),
    state?.activity ? activityText(state.activity, t) : "",
    state?.text ?? "", devices.join(", "),
  ].filter(Boolean).join(" · ");
}

// "Mai is writing · Ken has a draft of a note". fieldOf(id): where a colleague writes, if it is known.
/** @param {Viewer[]} viewers @param {Translate} t */
export function viewersText(viewers, t, fieldOf = (_) => "") {
  return viewers.map(({ id, name, mode }) => {
    const kind = fieldOf(id) === "note" && WRITES.has(mode) ? ".note" : "";
    return t(`viewer.${mode}${kind}`, { name });
  }).join(" · ");
}

export const ACTIVITY_NAMES = ACTIVITIES;

// Presence on a row of the list: the dot, colleagues in the thread, the customer typing.
const VIEWERS_MAX = 3;

export class RowPresence {
  #shown = "";

  constructor(element) {
    this.element = element;
    this.dot = make("dot");
    this.here = make("row-here");
    this.typing = make("row-typing");
    element.querySelector(".avatar").append(this.dot);
    element.querySelector(".row-preview").before(this.typing);
    element.querySelector(".row-count").before(this.here);
  }

  bind(row, { presence, t }) {
    const dot = row?.customer ? presence.dot("customer", row.customer.id) : "none";
    const others = row ? presence.others(row.id) : [];
    const typing = row ? presence.isTyping(row.id) : false;
    const writing = typing ? t("row.typing") : "";
    const shown = JSON.stringify([dot, others, writing]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.dot.dataset.dot = dot;
    this.typing.textContent = writing;
    this.element.toggleAttribute("data-typing", typing);
    this.here.replaceChildren(...others.slice(0, VIEWERS_MAX).map(smallAvatar), ...more(others));
    this.here.title = viewersText(others, t);
  }
}

// Presence in the label of a row: screen readers read only the label.
export function presenceLabel(row, { presence, t }) {
  if (!presence) return [];
  return [
    row.customer ? seenText(presence.age("customer", row.customer.id), t) : "",
    presence.isTyping(row.id) ? t("row.typing") : "",
    viewersText(presence.others(row.id), t),
  ];
}

// A colleague: the first letter of the name on a small disc.
export function smallAvatar({ id, name, mode }) {
  const made = make("face");
  made.dataset.mode = mode;
  made.dataset.hue = String(hueStep(`admin/${id}`));
  made.textContent = initial(name);
  return made;
}

function more(others) {
  if (others.length <= VIEWERS_MAX) return [];
  const made = make("face face-more");
  made.textContent = `+${others.length - VIEWERS_MAX}`;
  return [made];
}

function make(className) {
  const made = document.createElement("span");
  made.className = className;
  return made;
}

// Presence in the open thread: the customer's line in the head, and colleagues over the composer.
/** @param {Row} row */
export function threadDot(row, presence) {
  const dot = row?.customer ? presence.dot("customer", row.customer.id) : "none";
  return html`<span class="dot" data-dot=${dot}></span>`;
}

/** @param {Row} row @param {Translate} t */
export function threadPresence(row, presence, t) {
  if (!row?.customer) return "";
  return html`<span class="thread-presence">${presenceLine(presence, "customer", row.customer.id, t)}</span>`;
}

// The line over the composer: colleagues in the thread, and whether the customer is typing.
export function viewersLine({ data: { presence, thread: { id, row } }, ui: { threadPane, language: { t } } }) {
  if (id === null || !row) return "";
  const others = presence.others(id);
  const typing = presence.isTyping(id);
  if (!others.length && !typing) return "";
  const fieldOf = (admin) => threadPane.part?.writers.fieldOf(admin);
  const busy = others.some(({ mode }) => WRITES.has(mode));
  return html`<div class="here" ?data-busy=${busy}>
    ${others.map((one) => html`<span class="face" data-mode=${one.mode}
      data-hue=${hueStep(`admin/${one.id}`)}
      title=${viewersText([one], t, fieldOf)} aria-hidden="true">${initial(one.name)}</span>`)}
    <span class="here-text">${viewersText(others, t, fieldOf)}</span>
    ${typing ? html`<span class="here-typing">${t("thread.typing", { name: nameOf(row, t) })}</span>` : ""}
  </div>`;
}
