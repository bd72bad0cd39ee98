// One message: its body is shown as text, with links only to http and https.

import { html, nothing } from "lit-html";

import { attachmentOf, isOwn, isShownPicture } from "../../core/file-texts.js";
import { markedParts } from "../../core/find.js";
import { mentionParts } from "../../core/mentions.js";
import { shown } from "../../core/names.js";
import { offsetsOf } from "../../core/thread/matches.js";
import { langOf, picture } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { refusal } from "../elements/language.js";

// kind: client, admin, own, bot, system or note
/** @param {Message} message @param {number} adminId */
export function kindOf(message, adminId) {
  if (message.private) return "note";
  if (message.role === "admin" && message.author?.id === adminId) return "own";
  return message.role;
}

// look: {t, words, adminId, customerName, lang, joined, sendAgain, marks, current}; lang: the customer's
// language, "" for the page's; joined: whether the message before it has the same author;
// marks: of a search; current: whether it is the shown match.
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
    ${message.edit ? html`<div class="message-way" title=${look.words.exact(message.edit.at)}
      >${look.t(message.edit.deleted ? "message.deleted" : "message.edited")}</div>` : ""}
    ${message.delivery ? way(message, look) : ""}
    ${look.mentions?.mentionsMe(message) ? mentioned(message, look) : ""}
  </li>`;
}

// The line below a note that mentions this admin, with a button that marks the note as unread.
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
function bubble(message, t, marks = [], adminId = null, lang = "") {
  const { body, attachments, mentions = [] } = message;
  const offsets = marks.length ? offsetsOf(message) : [];
  return html`
    ${body ? html`<div class="message-body" dir="auto" lang=${lang || nothing}>${pieces(body, marks, named(mentions, adminId))}</div>` : ""}
    ${(attachments ?? []).map((file, at) => attachment(file, t, markedName(file, offsets[at + 1], marks)))}`;
}

// Shows a text without marks of a search; mentioned names stand out.
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

// Hidden characters in a name are shown, in place of marks.
function markedName({ name, url }, offset, marks) {
  const text = shown(name || url);
  return name && text === name ? marked(name, offset, marks) : text;
}

// A link, written from left to right in any text; with the host if the text hides it.
const link = (href, content, host) => html`<a href=${href} dir="ltr" target="_blank"
  rel="noopener noreferrer nofollow">${content}${host ? html`<span class="message-host"
  >${host}</span>` : ""}</a>`;

// Shows a short text: a link if it is an https address and nothing else.
/** @param {string} text */
export function linked(text) {
  const [{ href, host }, ...rest] = split(text);
  return !rest.length && href && /^https:/i.test(href)
    ? link(href, shown(text).replace(/^https:\/\//i, ""), host) : shown(text);
}

// Attachments are not loaded into the page, except pictures on hosts named in the settings: other hosts would
// learn who reads them. They open in their own tab, without a referrer.
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

// An admin's file comes from this server: pictures were encoded once more there, all other files are only saved.
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

// Splits a text into plain parts and links (http and https only).
const SCHEME = /(?<![A-Za-z0-9])https?:\/\/(?=[^\s/?#])/giu;
// Characters that end an address, or must be percent-encoded in it: blanks, line controls, quotes, brackets
// of HTML and of Asian scripts, their punctuation, dashes, ellipses, pictures.
const NEVER = new RegExp("[\\s<>\"`|\\u200b\\u2060\\u201c-\\u201f\\u00ab\\u00bb\\u2014\\u2015\\u2026\\u22ef"
  + "\\u060c\\u061b\\u061f\\u0964\\u0965\\u104a\\u104b\\u17d4\\u17d5\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d"
  + "\\uff00-\\uff65\\uffa0-\\uffef\\p{Extended_Pictographic}]", "u");
// Before the path, also characters that no host name has.
const NEVER_IN_HOST = /[(){}*^;,!'’]/u;
const TAIL = ".,;:!?'’‘*~^([{–";
const CLOSING = { ")": "(", "]": "[", "}": "{" };
const OPENING = Object.values(CLOSING);
// Scripts that are written without blanks beside other scripts, or that append particles.
const RUN_ON = /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const SEPARATORS = "/?#=&_-+@";
// Words that continue the sentence after a slash; titles in a wiki may also begin with them.
const GOES_ON = new RegExp("^(?:[でをにへのはがともや]|から|まで|より|です|だ[。\\s]"
  + "|(?:에서|에|으로|로|을|를|은|는|이|가|의|와|과|도|까지|부터|입니다|이에요|예요)(?![\\p{L}\\p{N}])|ครับ|ค่ะ|นะ)", "u");
const OF_WIKI = /\/w(?:iki)?\/$/u;

// Returns [{text, href | null, host | null}, …]; `host`: the link's real host, if its text hides it.
/** @param {string} text */
export function split(text) {
  const pieces = [];
  let end = 0;
  for (const { index, 0: scheme } of text.matchAll(SCHEME)) {
    if (index < end) continue;
    const address = addressIn(text, index, index + scheme.length);
    if (!valid(address)) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), href: null, host: null });
    pieces.push({ text: address, href: address, host: hidden(address) });
    end = index + address.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), href: null, host: null });
  return pieces;
}

// Returns the address that begins at `start` as a reader would see it: up to a character that ends it, a
// closing bracket without its opening one, or a script that continues the sentence.
function addressIn(text, start, host) {
  const open = [];
  let end = host;
  let isPath = false;
  let part = ""; // kind of the letters since the last separator: "own" or "run-on"
  for (const one of text.slice(host)) {
    if (NEVER.test(one) || (!isPath && NEVER_IN_HOST.test(one))) break;
    if (CLOSING[one] && open.pop() !== CLOSING[one]) break;
    if (OPENING.includes(one)) open.push(one);
    if (RUN_ON.test(one)) {
      if (part === "own" || (isPath && goesOn(text, start, end))) break;
      part = "run-on";
    } else if (SEPARATORS.includes(one) || (one === "." && part === "run-on")) part = "";
    else if (CLOSING[one] || "*'’".includes(one) || (!part && /[\p{L}\p{N}]/u.test(one))) part = "own";
    isPath ||= "/?#".includes(one);
    end += one.length;
  }
  return trimmed(text.slice(start, end), text[start - 1] === "_" ? `${TAIL}_` : TAIL);
}

function trimmed(address, tail) {
  let end = address.length;
  while (tail.includes(address[end - 1])) end -= 1;
  return address.slice(0, end);
}

function goesOn(text, start, at) {
  return text[at - 1] === "/" && GOES_ON.test(text.slice(at)) && !OF_WIKI.test(text.slice(start, at));
}

function valid(address) {
  try {
    return /^https?:$/.test(new URL(address).protocol);
  } catch {
    return false;
  }
}

// Returns the host of an address that shows another one, or none: by a name before `@`, letters of other
// scripts or of full width, controls, backslashes. Else null.
function hidden(address) {
  const { protocol, host } = new URL(address);
  const begins = address.toLowerCase().startsWith(`${protocol}//${host}`);
  const goesOnPlain = /^(?::(?:80|443))?(?:[/?#]|$)/u.test(address.slice(`${protocol}//${host}`.length));
  return begins && goesOnPlain && shown(address) === address && !address.includes("\\") ? null : host;
}

// Texts of messages, with marks on the words that a search found.

// offset: where the text begins in the message's text; marks: [from, to) in code points of that.
/** @param {string} text @param {number} offset @param {[number, number][]} marks */
export const marked = (text, offset, marks) => (marks.length
  ? markedParts(text, offset, marks).map(({ text: part, marked: isMarked }) => (isMarked
    ? html`<mark>${part}</mark>` : part))
  : text);

// An unsent reply: being sent, refused, or held because new messages came before it.
/** @param {OutboxItem} item @param {Page & {replies: import("./pane.js").Replies}} page */
export function unsentItem(item, page) {
  const { t } = page.ui.language;
  const state = page.data.outbox.stateOf(item);
  return html`<li class="message" data-kind=${item.private ? "note" : "own"}
    data-state=${state} data-token=${item.token}>
    <div class="message-meta">${t("author.you")} · ${t(`sending.${state}`)}</div>
    ${bubble({ body: item.body, attachments: (item.files ?? []).map(attachmentOf) }, t, [], null,
    item.private ? "" : langOf(page.data.thread?.row, t))}
    ${state === "sending" ? "" : html`<div class="message-acts" role=${state === "queued" ? nothing : "alert"}>
      ${state === "queued" ? "" : html`<span class="message-state" data-state="failed"
        >${reason(item, t)}</span>${again(item, page)}`}
      <button type="button" class="button" @click=${() => page.replies.takeBack(item)}
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

function again(item, { data: { outbox }, ui: { language: { t } } }) {
  return item.state === "moved"
    ? html`<button type="button" class="button" @click=${() => outbox.confirm(item.token)}
        >${t("sending.anyway")}</button>`
    : html`<button type="button" class="button" @click=${() => outbox.retry(item.token)}
        >${t("retry")}</button>`;
}
