// One message: text only ever as text, links only to http and https.

import { html } from "lit-html";

import { split } from "../core/links.js";
import { ICONS } from "./icons.js";

// kind: client, admin, own, bot, system or note
export function kindOf(message, adminId) {
  if (message.private) return "note";
  if (message.role === "admin" && message.author?.id === adminId) return "own";
  return message.role;
}

// look: {t, words, adminId, customerName, joined, sendAgain}; joined: the same author wrote just before.
export function messageItem(message, look) {
  const kind = kindOf(message, look.adminId);
  return html`<li class="message" data-kind=${kind} data-id=${message.id}
    ?data-joined=${look.joined}>
    ${look.joined ? "" : html`<div class="message-meta">
      <bdi>${authorOf(message, kind, look)}</bdi> ·
      <time datetime=${new Date(message.at).toISOString()} title=${look.words.exact(message.at)}
      >${look.words.clock(message.at)}</time></div>`}
    ${bubble(message, look.t)}
    ${message.delivery ? way(message, look) : ""}
  </li>`;
}

// How far it has come: queued, with the chatbot, with the customer, read, or failed.
function way({ id, delivery }, { t, words, sendAgain }) {
  const { state, to, attempts, at } = delivery;
  const stuck = state === "failed" || (state === "queued" && attempts > 0);
  const text = state === "queued" && attempts > 0
    ? t("delivery.trying", { count: attempts }) : t(`delivery.${state}.${to}`);
  return html`<div class="message-way" data-state=${stuck ? "failed" : state} data-to=${to}>
    <span title=${words.exact(at)}>${text}</span>
    ${stuck ? html`<button type="button" class="button message-again" @click=${() => sendAgain(id)}
      >${t("retry")}</button>` : ""}</div>`;
}

export const bubble = ({ body, attachments }, t) => html`
  ${body ? html`<div class="message-body" dir="auto">${split(body).map(piece)}</div>` : ""}
  ${(attachments ?? []).map((file) => attachment(file, t))}`;

const piece = ({ text, href }) => (href ? link(href, text) : text);

const link = (href, text) => html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow"
  >${text}</a>`;

// Never fetched unasked: a picture from elsewhere would tell its host who reads it. On request it
// is shown in a tab of its own, without a referrer: this page loads nothing from outside.
function attachment({ url, name, type }, t) {
  const picture = /^image\//.test(type ?? "");
  const safe = /^https:\/\//i.test(url) && URL.canParse(url);
  return html`<div class="message-file">
    <span class="message-file-icon">${picture ? ICONS.picture : ICONS.file}</span>
    <span class="message-file-text"><bdi>${name || url}</bdi>
      <span class="message-file-type">${type ?? ""}${safe ? ` · ${new URL(url).host}` : ""}</span>
    </span>
    ${safe ? html`<a class="button" href=${url} target="_blank" rel="noopener noreferrer nofollow"
      title=${t("file.title")}>${t(picture ? "file.show" : "file.open")}</a>` : ""}</div>`;
}

function authorOf(message, kind, { t, customerName }) {
  if (kind === "own") return t("author.you");
  if (kind === "client") return message.author?.name ?? customerName;
  if (kind === "note") return t("author.note", { name: message.author?.name ?? t("author.team") });
  if (kind === "admin") return message.author?.name ?? t("author.team");
  return t(`author.${kind}`);
}
