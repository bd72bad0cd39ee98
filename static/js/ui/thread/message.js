// One message: its body is shown as text, with links to http and https only.

import { html, nothing } from "lit-html";

import { isOwn, isShownPicture } from "../../core/files/texts.js";
import { split } from "../../core/links.js";
import { mentionParts } from "../../core/mentions/mentions.js";
import { shown } from "../../core/shown.js";
import { offsetsOf } from "../../core/thread/matches.js";
import { ICONS } from "../elements/icons.js";
import { picture } from "../elements/pictures.js";
import { marked } from "../matches/marked.js";

// kind: client, admin, own, bot, system or note
/** @param {Message} message @param {number} adminId */
export function kindOf(message, adminId) {
  if (message.private) return "note";
  if (message.role === "admin" && message.author?.id === adminId) return "own";
  return message.role;
}

// look: {t, words, adminId, customerName, lang, joined, sendAgain, marks, current}; lang: the customer's
// language, "" for the page's; joined: the same author
// wrote the message before it; marks: what a search found; current: it is the match that is shown.
/** @param {Message} message */
export function messageItem(message, look) {
  const kind = kindOf(message, look.adminId);
  return html`<li class="message" data-kind=${kind} data-id=${message.id}
    ?data-joined=${look.joined} aria-current=${look.current ? "true" : nothing}>
    ${look.joined ? "" : html`<div class="message-meta">
      <bdi translate="no" lang=${(kind === "client" && look.lang) || nothing}
      >${shown(authorOf(message, kind, look))}</bdi> ·
      <time datetime=${new Date(message.at).toISOString()} title=${look.words.exact(message.at)}
      >${look.words.clock(message.at)}</time></div>`}
    ${bubble(message, look.t, look.marks, look.adminId, kind === "note" ? "" : look.lang)}
    ${message.delivery ? way(message, look) : ""}
    ${look.mentions?.mentionsMe(message) ? mentioned(message, look) : ""}
  </li>`;
}

// Below a note that mentions this admin: it may stay among the unread ones.
function mentioned({ id }, { t, mentions }) {
  return html`<div class="message-way message-mention">${mentions.isKept(id) ? t("mention.is_unread")
    : html`<button type="button" class="message-unread" @click=${() => mentions.unread(id)}
      >${t("mention.unread")}</button>`}</div>`;
}

// The state of delivery: queued, with the chatbot, with the customer, read, or failed.
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

/**
 * @param {{body: string, attachments?: Attachment[], mentions?: Mention[]}} message
 * @param {Translate} t
 * @param {[number, number][]} marks
 * @param {number | null} adminId who reads it
 * @param {string} lang of its text, "" for the page's
 */
export function bubble(message, t, marks = [], adminId = null, lang = "") {
  const { body, attachments, mentions = [] } = message;
  const offsets = marks.length ? offsetsOf(message) : [];
  return html`
    ${body ? html`<div class="message-body" dir="auto" lang=${lang || nothing}>${pieces(body, marks, named(mentions, adminId))}</div>` : ""}
    ${(attachments ?? []).map((file, at) => attachment(file, t, markedName(file, offsets[at + 1], marks)))}`;
}

// How a text without marks of a search is shown: names that it mentions stand out.
const named = (mentions, adminId) => (text) => (mentions.length
  ? mentionParts(text, mentions).map((part) => (part.id === null ? part.text
    : html`<span class="mention" ?data-own=${part.ids.includes(adminId)}>${part.text}</span>`))
  : text);

function pieces(body, marks, plain) {
  let offset = 0;
  return split(body).map(({ text, href, host }) => {
    const start = offset;
    if (marks.length) offset += [...text].length;
    const content = marks.length ? marked(text, start, marks) : plain(text);
    if (!href) return content;
    return link(href, shown(text) === text ? content : shown(text), host);
  });
}

// What hides in a name is shown instead of marks.
function markedName({ name, url }, offset, marks) {
  const text = shown(name || url);
  return name && text === name ? marked(name, offset, marks) : text;
}

// From left to right, whatever stands around it; with the host where the text hides it.
const link = (href, content, host) => html`<a href=${href} dir="ltr" target="_blank"
  rel="noopener noreferrer nofollow">${content}${host ? html`<span class="message-host"
  >${host}</span>` : ""}</a>`;

// Attachments are not loaded into the page, but for pictures on hosts that the settings allow: their
// host would learn who reads them. They open in a tab of their own, without a referrer.
function attachment(file, t, name) {
  if (isOwn(file.url)) return ownFile(file, t, name);
  const { url, type } = file;
  const isPicture = /^image\//.test(type ?? "");
  const safe = /^https:\/\//i.test(url) && URL.canParse(url);
  return html`<div class="message-file">
    <span class="message-file-icon">${isPicture ? ICONS.picture : ICONS.file}</span>
    <span class="message-file-text"><bdi translate="no">${name}</bdi>
      <span class="message-file-type">${type ?? ""}${safe ? ` · ${new URL(url).host}` : ""}</span>
    </span>
    ${safe ? html`<a class="button" href=${url} target="_blank" rel="noopener noreferrer nofollow"
      title=${t("file.title")}>${t(isPicture ? "file.show" : "file.open")}</a>` : ""}</div>
    ${isPicture ? picture(url, "message-picture", name ?? "") : ""}`;
}

// What an admin attached comes from this server: pictures were encoded anew there, all else is saved.
function ownFile({ url, type, name: plain }, t, name) {
  if (isShownPicture(type)) {
    return html`<a class="message-own-picture" href=${url} target="_blank" rel="noopener"
      title=${t("files.large")}><img class="message-picture" alt=${shown(plain)} loading="lazy"
      decoding="async" src=${url}></a>`;
  }
  return html`<div class="message-file">
    <span class="message-file-icon">${ICONS.file}</span>
    <span class="message-file-text"><bdi translate="no">${name}</bdi>
      <span class="message-file-type">${type ?? ""}</span></span>
    <a class="button" href=${url} download>${t("files.download")}</a></div>`;
}

function authorOf(message, kind, { t, customerName }) {
  if (kind === "own") return t("author.you");
  if (kind === "client") return message.author?.name ?? customerName;
  if (kind === "note") return t("author.note", { name: message.author?.name ?? t("author.team") });
  if (kind === "admin") return message.author?.name ?? t("author.team");
  return t(`author.${kind}`);
}
