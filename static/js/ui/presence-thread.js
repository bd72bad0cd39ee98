// Presence in the open thread: the customer's line in its head, colleagues over the composer.

import { html } from "lit-html";

import { initial } from "../core/faces.js";
import { hueStep, nameOf } from "./avatar.js";
import { presenceLine, viewersText } from "./presence-words.js";

export function threadDot({ presence, row }) {
  const dot = row?.customer ? presence.dot("customer", row.customer.id) : "none";
  return html`<span class="dot" data-dot=${dot}></span>`;
}

export function threadPresence({ presence, row, t }) {
  if (!row?.customer) return "";
  return html`<span class="thread-presence">${presenceLine(presence, "customer", row.customer.id, t)}</span>`;
}

// Over the composer: who else is here, who writes; writers first.
export function hereLine(desk) {
  const { presence, threadId, row, t } = desk;
  if (threadId === null || !row) return "";
  const others = presence.others(threadId);
  const typing = presence.isTyping(threadId);
  if (!others.length && !typing) return "";
  const busy = others.some(({ mode }) => mode === "typing" || mode === "editing");
  return html`<div class="here" ?data-busy=${busy}>
    ${others.map((one) => html`<span class="face" data-mode=${one.mode} data-hue=${hueStep(`admin/${one.id}`)}
      title=${viewersText([one], t)} aria-hidden="true">${initial(one.name)}</span>`)}
    <span class="here-text">${viewersText(others, t)}</span>
    ${typing ? html`<span class="here-typing">${t("thread.typing", { name: nameOf(row, t) })}</span>` : ""}
  </div>`;
}
