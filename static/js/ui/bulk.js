// One act on all picked threads, with a result for each.

import { html } from "lit-html";

import { nameOf } from "./avatar.js";
import { ICONS } from "./icons.js";
import { menu, priorities } from "./menu.js";
import { refusal, refusalOf } from "./refusal.js";

const AT_ONCE = 200;

export class Bulk {
  busy = false;

  constructor(desk) {
    this.desk = desk;
  }

  // Closes, or reopens what is closed.
  finish() { return this.run(this.desk.place.page === "history" ? "reopen" : "close"); }

  async run(action, more = {}) {
    const { picks, t, toasts } = this.desk;
    if (this.busy || !picks.size) return;
    this.#setBusy(true);
    const results = await this.#ask(picks.ids, action, more);
    this.#setBusy(false);
    const refused = results.filter(({ status }) => status !== "done");
    for (const { id, status } of results) if (status === "done") picks.drop(id);
    const done = t("bulk.done", { count: results.length - refused.length });
    if (!refused.length) toasts.show(done);
    else {
      toasts.show(`${done} ${t("bulk.refused", { count: refused.length })}`, {
        text: t("bulk.show"), run: () => this.#show(results),
      });
    }
  }

  bar() {
    const { t, picks, place } = this.desk;
    const act = (action, text, key = "") => html`<button type="button" class="button"
      ?disabled=${this.busy} @click=${() => this.run(action)}
      >${text}${key ? html`<kbd>${key}</kbd>` : ""}</button>`;
    return html`<h2 class="unseen" id="list-title">${t(`page.${place.page}`)}</h2>
      <span class="news-slot bulk-count">${t("pick.count", { count: picks.size })}</span>
      <span class="header-space"></span>
      ${place.page === "history" ? act("reopen", t("act.reopen"), "e")
        : act("close", t("act.done"), "e")}
      ${act("claim", t("act.claim"))}
      ${menu({
        id: "bulk-menu", label: t("act.more"), text: ICONS.more, items: this.#items(),
      })}
      <button type="button" class="icon-button" aria-label=${t("pick.clear")}
        title=${t("pick.clear")}
        aria-keyshortcuts="Escape" @click=${() => picks.clear()}>${ICONS.close}</button>`;
  }

  #items() {
    const { t } = this.desk;
    return [
      { text: t("act.release"), run: () => this.run("release") },
      { text: t("act.reopen"), run: () => this.run("reopen") },
      { heading: t("act.priority") },
      ...priorities(t, (priority) => this.run("priority", { priority })),
    ];
  }

  async #ask(ids, action, more) {
    const { api, t } = this.desk;
    const results = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      try {
        results.push(...(await api.bulk(some, action, more)).results);
      } catch (error) {
        const problem = { detail: refusalOf(error, t) };
        results.push(...some.map((id) => ({ id, status: "rejected", problem })));
      }
    }
    return results;
  }

  #setBusy(busy) {
    this.busy = busy;
    this.desk.ask("header");
  }

  #show(results) {
    const { t, rows, dialog } = this.desk;
    const line = ({ id, status, problem }) => {
      const row = rows.get(id);
      return html`<li class="result" data-status=${status}>
        <bdi>${row ? nameOf(row, t) : `#${id}`}</bdi>
        <span>${status === "done" ? t("bulk.ok") : refusal(problem, t)}</span></li>`;
    };
    dialog.open(t("bulk.title"), () => html`<ul class="results">${results.map(line)}</ul>`);
  }
}
