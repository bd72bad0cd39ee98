// Prints the open conversation: all of its messages, and nothing else of the page.

import { html, render } from "lit-html";

import { Acts } from "../../core/thread/messages.js";
import { who } from "../elements/avatar.js";
import { PageModule } from "../elements/page-module.js";
import { merged } from "./act-line.js";
import { linesOf } from "./messages.js";

const PART = 200; // messages in one answer of the server
const PICTURES_MS = 10_000; // the longest wait for pictures

// Loads the missing parts, one after the other: yields `ask("before" or "after", id of a message)`, and
// takes the answer in its place.
/** @param {{list: Message[], more: boolean, later: boolean, acts: Acts}} whole
 * @param {(where: string, messageId: number) => any} ask */
export function* missingParts(whole, ask) {
  while (whole.more) {
    const { messages, more, acts } = yield ask("before", whole.list[0].id);
    whole.list = [...messages, ...whole.list];
    whole.more = more && messages.length > 0;
    whole.acts.put(acts ?? []);
  }
  while (whole.later) {
    const { messages, later, acts } = yield ask("after", whole.list.at(-1).id);
    whole.list = [...whole.list, ...messages];
    whole.later = later && messages.length > 0;
    whole.acts.put(acts ?? []);
  }
}

export class Printout extends PageModule {
  /** @type {HTMLElement | null} */
  #section = null; // what is printed instead of the page
  #title = "";
  #isLoading = false;

  /** @param {Page} page */
  constructor(page) {
    super(page);
    addEventListener("beforeprint", () => this.#begin());
    addEventListener("afterprint", () => this.#end());
  }

  // Loads the missing messages and the pictures, then opens the browser's dialog.
  async print() {
    const { data: { thread }, ui: { announce, language: { t } } } = this;
    const { id } = thread;
    const whole = this.#whole();
    if (!whole || this.#section || this.#isLoading) return;
    this.#isLoading = true;
    announce(t("print.loading"));
    try {
      await this.#load(whole, id);
      if (id !== thread.id || this.#section) return;
      this.#show(whole);
      await this.#pictures();
    } finally {
      this.#isLoading = false;
    }
    window.print();
    this.#end();
  }

  // Loads the missing messages of a thread into `whole`. Never throws.
  async #load(whole, id) {
    const { api } = this.net;
    const steps = missingParts(whole, (where, messageId) => api.messages(id, where, messageId, PART));
    try {
      for (let step = steps.next(); !step.done; step = steps.next(await step.value));
    } catch { /* the printout says that it is not whole */ }
  }

  #pictures() {
    return Promise.race([
      Promise.allSettled([...this.#section.querySelectorAll("img")].map((image) => image.decode())),
      new Promise((resolve) => { setTimeout(resolve, PICTURES_MS); }),
    ]);
  }

  // The browser's own command does not wait for promises, so the parts are loaded synchronously.
  #begin() {
    const { thread } = this.data;
    const whole = this.#section ? null : this.#whole();
    if (!whole) return;
    const steps = missingParts(whole, (where, id) => partNow(thread.id, where, id));
    try {
      for (let step = steps.next(); !step.done; step = steps.next(step.value));
    } catch { /* the printout says that it is not whole */ }
    this.#show(whole);
  }

  #end() {
    if (!this.#section) return;
    this.#section.remove();
    this.#section = null;
    document.title = this.#title;
  }

  #whole() {
    const { id, state, row, messages, acts: known } = this.data.thread;
    if (id === null || state !== "ready" || !row) return null;
    const acts = new Acts();
    acts.put(known.list);
    const { list, more, later } = messages;
    return { list, more: more && list.length > 0, later, acts };
  }

  #show(whole) {
    this.#section = document.createElement("section");
    this.#section.className = "printout";
    render(this.#content(whole), this.#section);
    for (const image of this.#section.querySelectorAll("img")) image.loading = "eager";
    document.body.append(this.#section);
    this.#title = document.title;
    document.title = this.#section.querySelector("h1").textContent;
  }

  #content({ list, more, later, acts }) {
    const { data: { thread: { row }, adminId }, ui: { language: { t, words } } } = this;
    const now = this.net.now();
    const from = more ? list[0].at : null;
    const until = later ? list.at(-1).at + 1 : null;
    const missing = html`<p class="printout-missing">${t("print.missing")}</p>`;
    const look = { t, words, adminId, now, row };
    return html`<h1>${who(row, t)}</h1>
      <p>${[row.source, row.thread, t("print.about", { count: list.length, time: words.exact(now) })].join(" · ")}</p>
      ${more ? missing : ""}
      <ol class="messages-list">${linesOf(merged(list, acts.between(from, until)), look)
        .map(({ content }) => content())}</ol>
      ${later ? missing : ""}`;
  }
}

// Asks like `api.messages`, but blocks the whole page until the answer is here.
function partNow(threadId, where, messageId) {
  const request = new XMLHttpRequest();
  request.open("GET", `/admin/api/threads/${threadId}/messages?${where}=${messageId}&limit=${PART}`, false);
  request.setRequestHeader("Accept", "application/json");
  request.send();
  if (request.status !== 200) throw new Error(`no messages: ${request.status}`);
  return JSON.parse(request.responseText);
}
