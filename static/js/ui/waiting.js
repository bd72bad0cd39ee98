// A reply that is not sent yet: on its way, refused, or held because the conversation went on.

import { html } from "lit-html";

import { bubble } from "./message.js";
import { refusal } from "./refusal.js";

export function waitingItem(item, desk) {
  const { t } = desk;
  return html`<li class="message" data-kind=${item.private ? "note" : "own"}
    data-state=${item.state}>
    <div class="message-meta">${t("author.you")} · ${t(`sending.${item.state}`)}</div>
    ${bubble({ body: item.body }, t)}
    ${item.state === "sending" ? "" : html`<div class="message-acts" role="alert">
      <span class="message-state" data-state="failed">${reason(item, t)}</span>
      ${buttons(item, desk)}</div>`}
  </li>`;
}

function reason(item, t) {
  if (item.state === "moved") return t("sending.moved.text", { count: item.unseen.length || 1 });
  if (item.state === "signed-out") return t("sending.signed-out.text");
  return refusal(item.problem === "network" ? null : item.problem, t);
}

function buttons(item, { t, outbox, acts }) {
  const again = item.state === "moved"
    ? html`<button type="button" class="button" @click=${() => outbox.confirm(item.token)}
        >${t("sending.anyway")}</button>`
    : html`<button type="button" class="button" @click=${() => outbox.retry(item.token)}
        >${t("retry")}</button>`;
  return html`${again}<button type="button" class="button" @click=${() => acts.takeBack(item)}
    >${t("sending.take_back")}</button>`;
}
