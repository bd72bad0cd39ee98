// One row of the list: built once, bound by hand, reused for other threads.

import { age, waitLevel } from "../core/time.js";
import { initial } from "../core/faces.js";
import { faceId, hueStep, isNamed, nameOf } from "./avatar.js";
import { presenceLabel, RowPresence } from "./presence-row.js";

const BY_WAIT = new Set(["longest_wait", "unanswered_first", "priority"]);

const MARKUP = `
  <span class="avatar" aria-hidden="true"><span class="avatar-letter"></span></span>
  <span class="row-text">
    <span class="row-line">
      <span class="row-fresh"></span><bdi class="row-name"></bdi>
      <span class="row-badge"></span><span class="row-note"></span>
      <span class="row-time"></span>
    </span>
    <span class="row-line">
      <span class="row-preview" dir="auto"></span>
      <span class="row-wait"></span><span class="row-count"></span>
    </span>
  </span>`;

const template = document.createElement("template");
template.innerHTML = MARKUP.replace(/>\s+</g, "><").trim();

export class RowElement {
  #parts = {};
  #shown = {};

  constructor() {
    this.element = document.createElement("div");
    this.element.className = "row";
    this.element.setAttribute("role", "option");
    this.element.append(template.content.cloneNode(true));
    for (const name of [
      "avatar", "avatar-letter", "row-fresh", "row-name", "row-badge", "row-note", "row-time",
      "row-preview", "row-wait", "row-count",
    ]) this.#parts[name] = this.element.querySelector(`.${name}`);
    this.presence = new RowPresence(this.element);
  }

  place(y, index, total) {
    this.#set("y", y, () => { this.element.style.transform = `translateY(${y}px)`; });
    this.#attribute("aria-posinset", index + 1);
    this.#attribute("aria-setsize", total);
  }

  // look: {sort, now, t, words, adminId, current, active, picked, outside, fresh, mark, answeredBy}
  bind(id, row, look) {
    this.#set("id", id, () => { this.element.id = `row-${id}`; });
    this.#attribute("aria-selected", String(look.picked));
    this.#attribute("aria-current", String(look.current));
    this.#classes(row, look);
    this.presence.bind(row, look);
    if (!row) return this.#attribute("aria-label", look.t("list.loading"));
    const texts = rowTexts(row, look);
    this.#face(row, look.t);
    for (const [name, text] of Object.entries(texts.parts)) this.#text(name, text);
    this.#flag("row-wait", "level", texts.waitLevel);
    this.#flag("row-badge", "kind", texts.badgeKind);
    this.#title("row-time", texts.exact);
    return this.#attribute("aria-label", texts.label);
  }

  // A place whose thread is not known yet.
  bindEmpty(label) {
    this.#set("id", null, () => this.element.removeAttribute("id"));
    this.#attribute("aria-selected", "false");
    this.#attribute("aria-current", "false");
    this.#attribute("aria-label", label);
    this.#set("classes", "row skeleton", (names) => { this.element.className = names; });
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
    const face = faceId(row);
    this.#set("face", `${face} ${row.customer?.name}`, () => {
      this.#parts["row-name"].toggleAttribute("data-nameless", !isNamed(row.customer));
      this.#parts.avatar.dataset.hue = hueStep(face);
      this.#parts["avatar-letter"].textContent = initial(nameOf(row, t));
    });
  }

  #text(name, text) {
    this.#set(name, text, () => { this.#parts[name].textContent = text; });
  }

  #flag(name, flag, value) {
    this.#set(`${name}.${flag}`, value, () => { this.#parts[name].dataset[flag] = value; });
  }

  #title(name, text) {
    this.#set(`${name}.title`, text, () => { this.#parts[name].title = text; });
  }

  #attribute(name, value) {
    this.#set(name, value, () => this.element.setAttribute(name, value));
  }

  #set(name, value, write) {
    if (this.#shown[name] === value) return;
    this.#shown[name] = value;
    write(value);
  }
}

// When the texts of this row next read otherwise, in ms.
export function rowChangesIn(row, now) {
  const times = [row.recent_at, row.waiting_since].filter((at) => at !== null && at !== undefined);
  return Math.min(...times.map((at) => age(at, now).change));
}

function rowTexts(row, look) {
  const { t, words, now } = look;
  const short = (at) => words.short(age(at, now), t("time.now"));
  const waiting = waitText(row, look, short);
  const badge = badgeOf(row, look);
  const parts = {
    "row-name": nameOf(row, t),
    "row-badge": badge.text,
    "row-note": noteOf(row, look),
    "row-time": short(row.recent_at),
    "row-preview": previewOf(row, t),
    "row-wait": waiting,
    "row-count": row.unanswered > 0 ? countText(row.unanswered) : "",
  };
  return {
    parts,
    badgeKind: badge.kind,
    waitLevel: row.waiting_since === null ? "none" : waitLevel(row.waiting_since, now) || "short",
    exact: words.exact(row.recent_at),
    label: labelOf(row, parts, look),
  };
}

// Less than a minute is told only where the wait is what the list goes by.
function waitText(row, { sort, now }, short) {
  if (row.waiting_since === null) return "";
  const told = BY_WAIT.has(sort) || age(row.waiting_since, now).unit !== "now";
  return told ? short(row.waiting_since) : "";
}

const countText = (count) => (count > 99 ? "99+" : String(count));

// The tier that the sort goes by; urgent and high are told in every sort.
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

export function memberText(row, t) {
  const status = row.customer?.member_status ?? -1;
  return status >= 0 ? t("member.tier", { tier: status }) : t("member.none");
}

function noteOf(row, { t, mark, page, adminId, answeredBy }) {
  if (mark === "left") return leftText(row, page, answeredBy, t);
  if (!row.assignee) return "";
  return row.assignee.id === adminId ? t("row.mine") : row.assignee.name;
}

function leftText(row, page, answeredBy, t) {
  if (page !== "history" && !row.open) return t("row.left.closed");
  if (page === "history" && row.open) return t("row.left.reopened");
  if (page === "not_respond" && row.waiting_since === null) {
    return answeredBy ? t("row.left.answered_by", { name: answeredBy }) : t("row.left.answered");
  }
  return t("row.left");
}

function previewOf(row, t) {
  if (!row.preview) return t("row.no_message");
  const { role } = row.preview;
  const body = row.preview.body.replace(/\s+/g, " ") || t("row.attachment");
  return role === "client" ? body : t(`preview.${role}`, { body });
}

function labelOf(row, parts, look) {
  const { t, words, now, fresh, mark } = look;
  const told = [
    parts["row-name"], parts["row-badge"],
    row.unanswered > 0 ? t("row.unanswered", { count: row.unanswered }) : "",
    parts["row-wait"] ? t("row.waiting", { time: parts["row-wait"] }) : "",
    fresh ? t("row.fresh") : "", mark === "up" ? t("row.moved_up") : "",
    parts["row-note"], parts["row-preview"], words.long(age(row.recent_at, now)),
    ...presenceLabel(row, look),
  ];
  return told.filter(Boolean).join(", ");
}
