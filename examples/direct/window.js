// The window of the chat, in a shadow tree: the page's styles do not reach it, and its own stay inside.

import { LANGUAGE, texts as t } from "./texts.js";

const STYLE = `
  :host { all: initial; position: fixed; right: 16px; bottom: 16px; z-index: 2147483000; color-scheme: inherit;
    font: 15px/1.45 system-ui, sans-serif; --accent: var(--lineup-chat-accent, #3b5bdb);
    --ground: light-dark(#fff, #1b1d23); --text: light-dark(#1c1e24, #eceef3);
    --soft: light-dark(#eef0f4, #2a2d36); --dim: light-dark(#5c6270, #a5abba); }
  * { box-sizing: border-box; }
  [hidden] { display: none !important; }
  button, textarea { font: inherit; color: inherit; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  .open { min-width: 56px; height: 48px; padding: 0 20px; border: 0; border-radius: 24px; background: var(--accent);
    color: #fff; font-weight: 600; cursor: pointer; box-shadow: 0 4px 16px #0004; }
  .open b { margin-left: 8px; padding: 1px 8px; border-radius: 10px; background: #fff; color: #1c1e24; }
  .panel { display: flex; flex-direction: column; width: 360px; height: min(560px, calc(100dvh - 32px));
    overflow: hidden; border-radius: 14px; background: var(--ground); color: var(--text);
    box-shadow: 0 8px 40px #0005; }
  .head { display: flex; align-items: center; gap: 8px; padding: 10px 8px 10px 16px; background: var(--accent);
    color: #fff; }
  .head div { flex: 1; min-width: 0; }
  .head strong { display: block; }
  .head span { display: block; font-size: 13px; }
  .head button { width: 40px; height: 40px; border: 0; border-radius: 8px; background: none; font-size: 20px;
    cursor: pointer; }
  .head :focus-visible { outline-color: #fff; }
  .log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 12px 16px; }
  ol { display: grid; gap: 8px; margin: 0; padding: 0; list-style: none; }
  li { justify-self: start; max-width: 85%; padding: 8px 12px; border-radius: 14px; background: var(--soft);
    overflow-wrap: anywhere; white-space: pre-wrap; }
  li.mine { justify-self: end; background: var(--accent); color: #fff; }
  li.mine[data-state]:not([data-state=""]) { opacity: .75; }
  li small { display: block; font-size: 12px; opacity: .85; white-space: normal; }
  li a { color: inherit; }
  .earlier { display: block; margin: 0 auto 12px; padding: 6px 14px; border: 0; border-radius: 14px;
    background: var(--soft); cursor: pointer; }
  .hello { margin: 0 0 12px; color: var(--dim); }
  .note { min-height: 20px; margin: 0; padding: 0 16px 4px; font-size: 13px; color: var(--dim); }
  form { display: flex; align-items: end; gap: 8px; padding: 10px 12px; border-top: 1px solid var(--soft); }
  textarea { flex: 1; max-height: 120px; padding: 8px 10px; border: 1px solid var(--dim); border-radius: 10px;
    background: var(--ground); field-sizing: content; resize: none; }
  ::placeholder { color: var(--dim); opacity: 1; }
  form button { min-height: 40px; padding: 0 16px; border: 0; border-radius: 10px; background: var(--accent);
    color: #fff; font-weight: 600; cursor: pointer; }
  @media (max-width: 480px) {
    .panel { position: fixed; inset: 0; width: auto; height: 100dvh; border-radius: 0; }
    textarea { font-size: 16px; }
  }
  @media (forced-colors: active) { .open, .panel, li { border: 1px solid; } }
`;
const BODY_MAX = 4000;
const LINK = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/;
const STICKS_PX = 60;

const make = (name, members = {}, ...children) => {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
};
const link = (href, text) => make("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);

export class ChatWindow {
  #items = new Map(); // by key

  constructor(chat) {
    this.chat = chat;
    const host = make("lineup-chat");
    this.root = host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    this.root.adoptedStyleSheets = [style];
    this.#build();
    document.body.append(host);
  }

  #build() {
    this.openButton = make("button", { type: "button", className: "open", onclick: () => this.open() });
    this.status = make("span", { role: "status" });
    const close = make("button", { type: "button", ariaLabel: t.close, title: t.close, onclick: () => this.close() }, "×");
    this.earlier = make("button", { type: "button", className: "earlier", onclick: () => this.#earlier() }, t.earlier);
    this.hello = make("p", { className: "hello" }, t.hello);
    this.list = make("ol");
    this.log = make("div", { className: "log", role: "log", tabIndex: 0, ariaLabel: t.chat }, this.earlier, this.hello, this.list);
    this.note = make("p", { className: "note", role: "status" });
    this.text = make("textarea", {
      rows: 1, maxLength: BODY_MAX, ariaLabel: t.write, placeholder: t.write,
      oninput: () => this.#typed(), onkeydown: (event) => this.#key(event),
    });
    const form = make("form", { onsubmit: (event) => this.#submit(event) }, this.text, make("button", {}, t.send));
    this.panel = make("section", { className: "panel", role: "dialog", ariaLabel: t.chat, hidden: true },
      make("div", { className: "head" }, make("div", {}, make("strong", {}, t.chat), this.status), close), this.log, this.note, form);
    this.panel.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.close(); });
    this.root.append(this.panel, this.openButton);
  }

  open() {
    this.panel.hidden = false;
    this.chat.wake();
    this.paint();
    this.log.scrollTop = this.log.scrollHeight;
    this.text.focus();
  }

  close() {
    this.panel.hidden = true;
    this.paint();
    this.openButton.focus();
  }

  // The field grows with its text: the end of the conversation stays in view.
  #typed() {
    this.chat.typed();
    this.log.scrollTop = this.log.scrollHeight;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    this.#submit(event);
  }

  #submit(event) {
    event.preventDefault();
    if (!this.text.value.trim()) return;
    try {
      this.chat.say(this.text.value);
    } catch {
      setText(this.note, t.full);
      return;
    }
    this.text.value = "";
    this.log.scrollTop = this.log.scrollHeight;
  }

  async #earlier() {
    const { scrollHeight, scrollTop } = this.log;
    await this.chat.earlier();
    this.log.scrollTop = scrollTop + this.log.scrollHeight - scrollHeight;
  }

  paint() {
    const { chat } = this;
    const { rows } = chat;
    const isOpen = !this.panel.hidden;
    this.openButton.hidden = isOpen;
    const unread = isOpen ? 0 : chat.unread;
    this.openButton.replaceChildren(t.chat, ...unread ? [make("b", {}, String(unread))] : []);
    this.openButton.ariaLabel = unread ? t.unread(unread) : t.chat;
    if (!isOpen) return;
    const sticks = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < STICKS_PX;
    this.earlier.hidden = !chat.more;
    this.hello.hidden = rows.length > 0;
    this.#paintRows(rows);
    setText(this.status, this.#team());
    setText(this.note, chat.isTyping ? t.typing : this.#place());
    if (sticks) this.log.scrollTop = this.log.scrollHeight;
    if (document.visibilityState === "visible") chat.seen();
  }

  // Elements stay what they are: a screen reader reads only what is new.
  #paintRows(rows) {
    const keys = new Set(rows.map(({ key }) => key));
    for (const [key, item] of this.#items) {
      if (keys.has(key)) continue;
      item.remove();
      this.#items.delete(key);
    }
    rows.forEach((row, at) => {
      const known = this.#items.get(row.key);
      const text = row.edit?.deleted ? t.deleted : row.body;
      const item = known?.text === text ? known : Object.assign(this.#item({ ...row, body: text }), { text });
      if (known && known !== item) known.replaceWith(item);
      this.#items.set(row.key, item);
      if (this.list.children[at] !== item) this.list.insertBefore(item, this.list.children[at] ?? null);
      item.dataset.state = row.state;
      setText(item.lastChild, row.state ? t[row.state] : row.at ? clock(row.at) : "");
    });
  }

  #item({ role, author, body, attachments = [] }) {
    const isMine = role === "client";
    const name = make("small", {}, isMine ? "" : author?.name ?? t.team);
    const files = attachments.filter(({ url }) => /^https?:/.test(url))
      .map(({ url, name }) => make("div", {}, link(url, name || url)));
    return make("li", { className: isMine ? "mine" : "" }, name,
      ...body.split(LINK).map((part) => LINK.test(part) ? link(part, part) : part), ...files, make("small"));
  }

  #team() {
    const { isOnline, team } = this.chat;
    if (!isOnline) return t.offline;
    if (!team) return "";
    if (team.assignee) return t.with(team.assignee.name);
    return team.online ? t.here : t.away;
  }

  #place() {
    const { position, of, expected_seconds: seconds } = this.chat.place ?? {};
    if (!position) return "";
    return t.place(position, of) + (seconds === null ? "" : t.about(Math.max(1, Math.round(seconds / 60))));
  }
}

// The time of today, else with the day.
function clock(at) {
  const day = new Date(at);
  const isToday = day.toDateString() === new Date().toDateString();
  const date = isToday ? {} : { day: "numeric", month: "short" };
  return day.toLocaleString(LANGUAGE, { ...date, hour: "numeric", minute: "2-digit" });
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
