// The admin's acts on threads with undo, the announcements about the open thread for screen readers,
// and the admin's own state. Loaded with the thread's pane.

import { html } from "lit-html";

import { onResize } from "../browser.js";
import { initial, shown } from "../core/names.js";
import { authorName, hueStep } from "../ui/elements/avatar.js";
import { statusText } from "../ui/presence/viewers.js";
import { ColleagueActions, ThreadActions } from "../ui/thread/actions.js";
import { Undoing } from "../ui/elements/undoing.js";

/** @param {Page} page @returns {Acting} */
export function startActing(page) {
  const { data: { thread, adminId }, ui: { announce, language, painter } } = page;
  const who = (message) => authorName(message, thread.row, language.t);
  let last = "";
  const tell = (told) => {
    const text = arrivalText(told, language.t, who);
    // Screen readers read a repeated text only if it differs.
    last = text === last ? `${text}\u00a0` : text;
    announce(last);
  };
  thread.arrivals = new Arrivals({ adminId, tell });
  page.acts.undoing = new Undoing(page);
  page.acts.unsent.preload().then((unsent) => unsent && page.acts.undoing.keepIn(unsent.tab));
  page.acts.actions = new ThreadActions(page);
  painter.ask("nav");
  measureToasts();
  const { undoing, actions } = page.acts;
  return { undoing, actions, colleagueActions: new ColleagueActions(page), ownState };
}

// Tells the styles how high the toasts are, and where the list or the conversation ends, over whose lower edge
// they stand in small windows. In this way they cover neither the composer nor the bar below.
function measureToasts() {
  const { style } = document.documentElement;
  const toasts = document.getElementById("toasts");
  /** @type {NodeListOf<HTMLElement>} */
  const both = document.querySelectorAll(".messages-frame, .list-frame");
  const frames = [...both];
  const measure = () => {
    const frame = frames.find((each) => each.offsetHeight);
    style.setProperty("--below-px", `${innerHeight - (frame?.getBoundingClientRect().bottom ?? 0)}px`);
    style.setProperty("--toasts-px", `${toasts.offsetHeight}px`);
  };
  for (const each of [toasts, ...frames]) onResize(each, measure);
}

// Announces to screen readers new messages in the open thread, and the progress of replies.
const GATHER_MS = 400; // messages within this time are announced together
const TEXT_MAX = 200; // characters of a message that are read

export class Arrivals {
  #came = [];
  #said = "";
  #timer = null;

  // tell({messages, state}): announces new messages, and the last state of a reply or "".
  /** @param {{tell: (told: {messages: Message[], state: string}) => void, adminId: number, timers?: Timers}} parts */
  constructor({ tell, adminId, timers = globalThis }) {
    this.tell = tell;
    this.adminId = adminId;
    this.timers = timers;
  }

  /** @param {Message} message */
  came(message) {
    const own = message.role === "admin" && message.author?.id === this.adminId;
    if (own) this.#said = message.private ? "noted" : "sent";
    else this.#came.push(message);
    this.#later();
  }

  // The state of a reply of this admin has changed.
  /** @param {{author: {id: number} | null}} message @param {{state: string, to: string}} delivery */
  delivered({ author }, { state, to }) {
    if (author?.id !== this.adminId || state === "queued") return;
    this.#said = `${state}.${to}`;
    this.#later();
  }

  // Another thread was opened.
  forget() {
    this.timers.clearTimeout(this.#timer);
    this.#timer = null;
    this.#came = [];
    this.#said = "";
  }

  #later() {
    this.#timer ??= this.timers.setTimeout(() => {
      const told = { messages: this.#came, state: this.#said };
      this.forget();
      this.tell(told);
    }, GATHER_MS);
  }
}

// The sentence that announces messages and a reply's state; who(message) names the author.
/** @param {{messages: Message[], state: string}} told @param {Translate} t */
export function arrivalText({ messages, state }, t, who) {
  const said = [];
  const last = messages.at(-1);
  if (last) {
    const characters = [...last.body.replace(/\s+/g, " ")];
    const cut = characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX).join("")}…` : "";
    const text = cut || characters.join("") || t("row.attachment");
    const { length: count } = messages;
    said.push(count > 1 ? t("arrived.messages", { count, name: who(last), text })
      : t("arrived.message", { name: who(last), text }));
  }
  if (state === "sent") said.push(t("arrived.sent"));
  else if (state === "noted") said.push(t("arrived.noted"));
  else if (state) said.push(t(`delivery.${state}`));
  return said.join(" ");
}

// The admin's own status and name in the left column.

// Opens the panel in which the status is set.
/** @param {Page} page */
export function ownState({ data: { admin, presence }, ui: { presencePanels, queues, language: { t } } }) {
  const dot = presence.dot("admin", admin.id);
  const status = statusText(presence, "admin", admin.id, t);
  return html`<button type="button" class="nav-me" data-dot=${dot}
    @click=${() => presencePanels.open("team")} aria-haspopup="dialog"
    title=${`${admin.name} · ${status}`}
    aria-label=${`${admin.name}, ${status}`}
    ><span class="avatar nav-avatar" data-hue=${hueStep(`admin/${admin.id}`)} aria-hidden="true"
      ><span class="avatar-letter">${initial(admin.name)}</span><span class="dot" data-dot=${dot}></span></span>
    <span class="nav-text"><bdi translate="no" class="nav-name">${shown(admin.name)}</bdi>
      <span class="nav-status">${status}</span></span></button>${queues.part?.corner()}`;
}
