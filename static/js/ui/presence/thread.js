// Presence in the open thread: the customer's line in its head, colleagues over the composer.

import { html } from "lit-html";

import { initial } from "../../core/initials.js";
import { hueStep, nameOf } from "../elements/avatar.js";
import { presenceLine, viewersText } from "./words.js";

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
export function viewersLine({ presence, thread: { id, row }, language: { t } }) {
  if (id === null || !row) return "";
  const others = presence.others(id);
  const typing = presence.isTyping(id);
  if (!others.length && !typing) return "";
  const busy = others.some(({ mode }) => mode === "typing" || mode === "editing");
  return html`<div class="here" ?data-busy=${busy}>
    ${others.map((one) => html`<span class="face" data-mode=${one.mode} data-hue=${hueStep(`admin/${one.id}`)}
      title=${viewersText([one], t)} aria-hidden="true">${initial(one.name)}</span>`)}
    <span class="here-text">${viewersText(others, t)}</span>
    ${typing ? html`<span class="here-typing">${t("thread.typing", { name: nameOf(row, t) })}</span>` : ""}
  </div>`;
}
