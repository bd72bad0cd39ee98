// What to do first, shown instead of an empty list while no event ever came; then that it came.

import { html, render } from "lit-html";

import { copied } from "../../browser.js";
import { ICONS } from "../elements/icons.js";

const KEY_COMMAND = "KEY=$(.venv/bin/python app.py create-key --source shop)";
const COPIED_MS = 2000;

// The id and the time are made when it is typed; a time ahead of the server's counts as the receipt's.
/** @param {string} origin */
const firstCommand = (origin) => `curl -X POST ${origin}/api/v1/events \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"id": "m-'$(date +%s)'", "type": "message", "thread": "t-1", "occurred_at": "'$(date -u +%FT%T.999Z)'", "role": "client", "customer": {"id": "c-1", "name": "Mai"}, "body": "Hello!"}'`;

export class FirstSteps {
  shown = false;
  #copied = null;

  /** @param {FirstStepsParts} parts */
  constructor({ root, lists, totals, navigation, painter, announce, language }) {
    this.root = root;
    this.lists = lists;
    this.totals = totals;
    this.navigation = navigation;
    this.painter = painter;
    this.announce = announce;
    this.language = language;
  }

  open() {
    this.shown = true;
    this.painter.ask("first");
  }

  close() {
    this.shown = false;
    this.painter.ask("first");
  }

  get #arrived() {
    const { listing } = this.lists;
    return ["arrival", "history"].some((view) => this.totals.of(view, "all") > 0)
      || (listing.ready && listing.painted.total > 0);
  }

  paint() {
    const { t } = this.language;
    this.root.hidden = !this.shown;
    const arrived = this.#arrived;
    if (this.shown && arrived && this.root.dataset.arrived !== "true") {
      this.announce(t("first.arrived"));
    }
    this.root.dataset.arrived = String(arrived);
    render(this.shown ? this.#content(arrived) : "", this.root);
  }

  #content(arrived) {
    const { t } = this.language;
    return html`<section class="first-card" aria-labelledby="first-title">
      <div class="first-head"><h2 id="first-title">${t("first.title")}</h2>
        <button type="button" class="icon-button" aria-label=${t("close")}
          @click=${() => this.close()}>${ICONS.close}</button></div>
      ${arrived ? "" : html`<ol class="first-list">
        <li><p>${t("first.key")}</p>${this.#command("key", KEY_COMMAND)}</li>
        <li><p>${t("first.post")}</p>${this.#command("post", firstCommand(location.origin))}</li>
      </ol>`}
      <p class="first-state" data-arrived=${String(arrived)}>
        <span class="first-dot" aria-hidden="true"></span>${t(arrived ? "first.arrived" : "first.waiting")}
        ${arrived ? html`<button type="button" class="button" @click=${() => this.#show()}
          >${t("first.show")}</button>` : ""}</p>
      <p>${t("first.next")} <a href="/api/docs" target="_blank" rel="noopener">${t("api_docs")}</a> ·
        <code>examples/chatbot/</code></p></section>`;
  }

  #command(name, text) {
    const { t } = this.language;
    return html`<div class="first-command"><pre tabindex="0" aria-label=${t(`first.${name}`)}><code>${text}</code></pre>
      <button type="button" class="button" data-copies=${name} @click=${() => this.#copy(name, text)}
        >${t(this.#copied === name ? "first.copied" : "first.copy")}</button></div>`;
  }

  async #copy(name, text) {
    const shown = this.root.querySelector(`[data-copies="${name}"]`).previousElementSibling;
    if (!await copied(text, shown)) return;
    this.#copied = name;
    this.announce(this.language.t("first.copied"));
    this.painter.ask("first");
    setTimeout(() => {
      this.#copied = null;
      this.painter.ask("first");
    }, COPIED_MS);
  }

  #show() {
    this.close();
    this.navigation.goList({ view: "arrival", sort: "arrival", filter: "all" });
  }
}
