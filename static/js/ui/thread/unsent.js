// A reply that is not sent yet: being sent, refused, or held because new messages came before it.

import { html, nothing } from "lit-html";

import { attachmentOf } from "../../core/files/texts.js";
import { langOf } from "../elements/avatar.js";
import { bubble } from "./message.js";
import { refusal } from "../elements/refusal.js";

// parts: {outbox, replies, language}
/** @param {OutboxItem} item */
export function unsentItem(item, parts) {
  const { t } = parts.language;
  const state = parts.outbox.stateOf(item);
  return html`<li class="message" data-kind=${item.private ? "note" : "own"}
    data-state=${state} data-token=${item.token}>
    <div class="message-meta">${t("author.you")} · ${t(`sending.${state}`)}</div>
    ${bubble({ body: item.body, attachments: (item.files ?? []).map(attachmentOf) }, t, [], null,
    item.private ? "" : langOf(parts.thread?.row, t))}
    ${state === "sending" ? "" : html`<div class="message-acts" role=${state === "queued" ? nothing : "alert"}>
      ${state === "queued" ? "" : html`<span class="message-state" data-state="failed"
        >${reason(item, t)}</span>${again(item, parts)}`}
      <button type="button" class="button" @click=${() => parts.replies.takeBack(item)}
        >${t("sending.take_back")}</button></div>`}
  </li>`;
}

/** @param {OutboxItem} item @param {Translate} t */
export function reason(item, t) {
  if (item.state === "moved") return t("sending.moved.text", { count: item.unseen.length || 1 });
  if (item.state === "signed-out") return t("sending.signed-out.text");
  if (item.problem === "network") return t("sending.waiting.text");
  return refusal(item.problem, t);
}

function again(item, { outbox, language: { t } }) {
  return item.state === "moved"
    ? html`<button type="button" class="button" @click=${() => outbox.confirm(item.token)}
        >${t("sending.anyway")}</button>`
    : html`<button type="button" class="button" @click=${() => outbox.retry(item.token)}
        >${t("retry")}</button>`;
}
