// One row of the list: built once, updated field by field, reused for other threads.

import { render } from "lit-html";

import { languageOf } from "../../core/i18n.js";
import { initial, shown } from "../../core/names.js";
import { deskOf, dueAtText, dueText, previewText, snoozedText, wokenText } from "../../core/row-texts.js";
import { age, dueLevel, waitLevel } from "../../core/time.js";
import {
  avatarId, hueStep, isNamed, memberText, nameOf, picture, pictureUrl,
} from "../elements/avatar.js";
import { presenceLabel, RowPresence } from "../presence/viewers.js";

const BY_DUE = "next_due"; // the sort in which the due time comes first
const TAGS_SHOWN = 2;
const template = /** @type {HTMLTemplateElement} */ (document.getElementById("row"));

class RowElement {
  #elements = {};
  #shown = {};

  constructor() {
    const { firstElementChild } = template.content;
    this.element = /** @type {HTMLElement} */ (firstElementChild.cloneNode(true));
    for (const name of [
      "avatar", "avatar-letter", "avatar-face", "row-fresh", "row-name", "row-badge", "row-woken", "row-note",
      "row-replied", "row-desk", "row-tag", "row-tag-second", "row-tags-more", "row-when", "row-time", "row-snooze",
      "row-wait", "row-due", "row-due-text", "row-own", "row-lang", "row-preview", "row-count",
    ]) this.#elements[name] = this.element.querySelector(`.${name}`);
    this.presence = new RowPresence(this.element);
  }

  // of: number of rows, -1 if unknown. note: read by screen readers in addition.
  /** @param {number} y @param {{at: number, of: number}} place */
  place(y, { at, of }, note = "") {
    this.#set("y", y, () => { this.element.style.transform = `translateY(${y}px)`; });
    this.#attribute("aria-posinset", at + 1);
    this.#attribute("aria-setsize", of);
    this.#attribute("aria-description", note);
  }

  // look: from RowLook, and `outside`: whether the row is out of view.
  /** @param {number} id @param {Row} row */
  bind(id, row, look) {
    this.#set("id", id, () => { this.element.id = `row-${id}`; });
    this.#attribute("aria-selected", String(look.picked));
    this.#attribute("aria-current", String(look.current));
    this.#classes(row, look);
    if (look.presence) this.presence.bind(row, look);
    if (!row) return this.#withoutRow(look);
    const texts = rowTexts(row, look);
    this.#face(row, look.t);
    for (const [name, text] of Object.entries(texts.parts)) this.#text(name, text);
    this.#flag("row-wait", "level", texts.waitLevel);
    this.#flag("row-due", "level", texts.dueLevel);
    this.#flag("row-note", "same", String(texts.isSame));
    this.#title("row-replied", texts.parts["row-replied"]);
    this.#title("row-woken", texts.parts["row-woken"]);
    this.#flag("row-badge", "kind", texts.badgeKind);
    this.#flag("row-own", "kind", look.own);
    this.#title("row-when", texts.when);
    this.#title("row-lang", texts.language);
    this.#title("row-count", texts.unanswered);
    this.#lang("row-name", isNamed(row.customer) ? texts.tag : "");
    this.#lang("row-preview", row.preview ? texts.tag : "");
    return this.#attribute("aria-label", texts.label);
  }

  // Shows a position with a thread that is not loaded yet.
  bindEmpty(label) {
    this.#set("id", null, () => this.element.removeAttribute("id"));
    this.#attribute("aria-selected", "false");
    this.#attribute("aria-current", "false");
    this.#attribute("aria-label", label);
    this.#set("classes", "row skeleton", (names) => { this.element.className = names; });
  }

  // The row is not loaded yet, or may no longer be seen.
  #withoutRow({ mark, t }) {
    const text = t(mark === "left" ? "row.left" : "list.loading");
    this.#text("row-note", text);
    this.#attribute("aria-label", text);
  }

  #classes(row, look) {
    const names = ["row"];
    if (!row) names.push("skeleton");
    if (row?.unanswered > 0) names.push("unread");
    if (look.current) names.push("current");
    if (look.picked) names.push("picked");
    if (look.active) names.push("active");
    if (look.outside) names.push("outside");
    if (look.fresh) names.push("fresh");
    if (look.mark) names.push(`moved-${look.mark}`);
    this.#set("classes", names.join(" "), (text) => { this.element.className = text; });
  }

  #face(row, t) {
    const face = avatarId(row);
    this.#set("face", `${face} ${row.customer?.name}`, () => {
      this.#elements["row-name"].toggleAttribute("data-nameless", !isNamed(row.customer));
      this.#elements.avatar.dataset.hue = hueStep(face);
      this.#elements["avatar-letter"].textContent = initial(nameOf(row, t));
    });
    const url = pictureUrl(row.customer?.avatar_url) ?? undefined;
    this.#set("picture", url, () => {
      render(picture(url, "avatar-picture"), this.#elements["avatar-face"]);
    });
  }

  #text(name, text) {
    this.#set(name, text, () => { this.#elements[name].textContent = text; });
  }

  // Texts by customers are read aloud, and drawn, in the customer's language.
  #lang(name, tag) {
    this.#set(`${name}.lang`, tag, () => {
      if (tag) this.#elements[name].lang = tag;
      else this.#elements[name].removeAttribute("lang");
    });
  }

  #flag(name, flag, value) {
    this.#set(`${name}.${flag}`, value, () => { this.#elements[name].dataset[flag] = value; });
  }

  #title(name, text) { this.#set(`${name}.title`, text, () => { this.#elements[name].title = text; }); }

  #attribute(name, value) { this.#set(name, value, () => this.element.setAttribute(name, value)); }

  #set(name, value, write) {
    if (this.#shown[name] === value) return;
    this.#shown[name] = value;
    write(value);
  }
}

function rowTexts(row, look) {
  const { t, words, now } = look;
  const short = (at) => words.short(age(at, now), t("time.now"));
  const waiting = waitText(row, look, short);
  const badge = badgeOf(row, look);
  const language = languageOf(row.customer?.locale, t.locale);
  const woken = row.woken ? wokenText(row.woken, look) : "";
  const told = {
    due: row.due_at ? dueAtText(row.due_at, look) : "",
    snoozed: row.snooze ? snoozedText(row.snooze, look) : woken,
    language: language.name,
    tag: language.tag,
    unanswered: row.unanswered > 0 ? t("row.unanswered", { count: row.unanswered }) : "",
  };
  const parts = {
    "row-name": nameOf(row, t),
    "row-badge": badge.text,
    "row-note": noteOf(row, look),
    "row-replied": look.mark === "left" ? "" : repliedText(row, look),
    "row-time": waiting === short(row.recent_at) ? "" : short(row.recent_at),
    "row-own": look.own ? t(`row.${look.own}`) : "",
    "row-snooze": row.snooze ? t("row.snoozed", { time: words.moment(row.snooze.until, now) }) : "",
    "row-woken": row.snooze ? "" : woken,
    "row-desk": deskOf(row),
    "row-lang": language.code,
    "row-tag": row.tags[0] ?? "",
    "row-tag-second": row.tags[1] ?? "",
    "row-tags-more": row.tags.length > TAGS_SHOWN ? `+${row.tags.length - TAGS_SHOWN}` : "",
    "row-preview": previewOf(row, t),
    "row-wait": waiting,
    "row-due-text": row.due_at ? dueText(row.due_at, look) : "",
    "row-count": row.unanswered > 0 ? countText(row.unanswered) : "",
  };
  const isSame = Boolean(parts["row-replied"]) && row.assignee?.id === row.last.by?.id;
  return {
    parts,
    isSame,
    badgeKind: badge.kind,
    waitLevel: waitLevelOf(row, now),
    dueLevel: row.due_at ? dueLevel(row.due_at, now) : "none",
    when: whenText(row, told, look),
    ...told,
    label: labelOf(row, parts, told, look),
  };
}

// With a due time, its policy decides how long is too long.
function waitLevelOf({ waiting_since: since, due_at: dueAt }, now) {
  if (since === null) return "none";
  return dueAt ? "short" : waitLevel(since, now) || "short";
}

// A wait below a minute is shown only if the sort goes by the wait. Beside a due time, which matters more, a
// wait is shown only in such a sort, too.
function waitText(row, { byWait, sort, now }, short) {
  if (row.waiting_since === null) return "";
  if (row.due_at && (!byWait || sort === BY_DUE)) return "";
  const told = byWait || age(row.waiting_since, now).unit !== "now";
  return told ? short(row.waiting_since) : "";
}

// All times of a row exactly, and what a press on them shows.
function whenText(row, { due, snoozed }, { t, words }) {
  const { recent_at: recentAt, waiting_since: since } = row;
  return [
    row.snooze ? snoozed : "", due, since === null ? "" : t("row.since", { time: words.exact(since) }),
    t("row.latest", { time: words.exact(recentAt) }), t("row.why"),
  ].filter(Boolean).join("\n");
}

const countText = (count) => (count > 99 ? "99+" : String(count));

// The tier of the sort; urgent and high are shown in every sort.
function badgeOf(row, { sort, t }) {
  if (sort === "member_status") {
    const kind = row.customer?.member_status >= 0 ? "member" : "none";
    return { kind, text: memberText(row, t) };
  }
  if (sort === "unanswered_first" && !row.answered && row.waiting_since !== null) {
    return { kind: "first", text: t("row.never_answered") };
  }
  const told = sort === "priority" || row.priority === "urgent" || row.priority === "high";
  const kind = told ? row.priority : "none";
  return { kind, text: told ? t(`priority.${kind}`) : "" };
}

const ACTIVE = new Set(["arrival", "not_respond"]); // views without snoozed threads

function noteOf(row, { t, mark, view, adminId }) {
  if (mark === "left") return leftText(row, view, t);
  if (!row.assignee) return "";
  return row.assignee.id === adminId ? t("row.mine") : shown(row.assignee.name);
}

// The text if an admin has written last and nobody waits.
function repliedText({ last, waiting_since: since }, { t, adminId }) {
  if (last?.role !== "admin" || since !== null) return "";
  if (!last.by) return t("row.left.answered");
  return last.by.id === adminId ? t("row.replied.you") : t("row.replied", { name: shown(last.by.name) });
}

function leftText(row, view, t) {
  if (view !== "history" && !row.open) return t("row.left.closed");
  if (ACTIVE.has(view) && row.snooze) return t("row.left.snoozed");
  if (view === "snoozed" && !row.snooze) return t("row.left.woken");
  if (view === "history" && row.open) return t("row.left.reopened");
  if (view === "not_respond" && row.waiting_since === null) {
    const name = row.last?.by?.name;
    return name ? t("row.left.answered_by", { name: shown(name) }) : t("row.left.answered");
  }
  return t("row.left");
}

function previewOf(row, t) {
  if (!row.preview) return t("row.no_message");
  const { role } = row.preview;
  const body = previewText(row.preview, t);
  return role === "client" ? body : t(`preview.${role}`, { body });
}

function labelOf(row, parts, { due, snoozed, language, unanswered }, look) {
  const { t, words, now, fresh, mark } = look;
  const told = [
    parts["row-name"], parts["row-badge"], unanswered,
    parts["row-wait"] ? t("row.waiting", { time: parts["row-wait"] }) : "", due, snoozed,
    fresh ? t("row.fresh") : "", mark === "up" ? t("row.moved_up") : "",
    parts["row-note"], parts["row-replied"], parts["row-own"], language ? t("row.language", { language }) : "",
    parts["row-desk"] ? t("desk.of", { desk: parts["row-desk"] }) : "",
    row.tags.length ? t("row.tags", { tags: row.tags.join(", ") }) : "",
    parts["row-preview"], words.long(age(row.recent_at, now)),
    ...presenceLabel(row, look),
  ];
  return told.filter(Boolean).join(", ");
}

// The row elements: each stays with its thread while it is in view, and is reused afterwards.
const SPARE_MAX = 20;

export class RowPool {
  #used = new Map(); // key → RowElement
  #spare = [];

  constructor(parent) {
    this.parent = parent;
  }

  get(key) { return this.#used.get(key); }

  // keys in order from top to bottom; bind(key, row) fills each.
  show(keys, bind) {
    const wanted = new Set(keys);
    for (const [key, row] of this.#used) {
      if (wanted.has(key)) continue;
      this.#used.delete(key);
      this.#spare.push(row);
    }
    const rows = keys.map((key) => this.#take(key));
    keys.forEach((key, place) => bind(key, rows[place]));
    this.#arrange(rows);
    this.#thin();
  }

  // Rows without a thread, before a list is loaded.
  /** @param {number} count @param {number} px @param {string} text */
  showEmpty(count, px, text) {
    const keys = Array.from({ length: count }, (_, index) => `empty-${index}`);
    this.show(keys, (key, row) => {
      const index = keys.indexOf(key);
      row.bindEmpty(text);
      row.place(index * px, { at: index, of: -1 });
    });
  }

  #take(key) {
    let row = this.#used.get(key);
    if (!row) {
      row = this.#spare.pop() ?? new RowElement();
      this.#used.set(key, row);
    }
    return row;
  }

  // Keeps the order of elements equal to the order on screen, for screen readers.
  #arrange(rows) {
    let next = this.parent.firstChild;
    for (const { element } of rows) {
      if (element === next) next = next.nextSibling;
      else this.parent.insertBefore(element, next);
    }
  }

  #thin() {
    for (const { element } of this.#spare) element.remove();
    this.#spare.length = Math.min(this.#spare.length, SPARE_MAX);
  }
}
