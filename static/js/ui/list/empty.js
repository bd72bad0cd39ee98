// The content of a list without rows: it is being built, there is none, or nothing matches.

import { html, nothing, render } from "lit-html";

import { copied } from "../../browser.js";
import { mayEdit } from "../../core/list/saved-views.js";
import { isSaved, QUERY } from "../../core/route.js";
import { ICONS } from "../elements/icons.js";
import { refusal } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

const ELSEWHERE = "not_respond"; // the view to go to from one that was deleted

/** @param {Page} page */
export function empty(page) {
  const { data: { lists: { list, listing, sync } }, ui: { language: { t } } } = page;
  if (sync.state === "refused") return refused(page);
  if (!listing.ready && sync.state === "failed") return failed(page);
  if (sync.building !== null) return building(sync.building, t);
  if (!listing.ready || listing.painted.total > 0) return "";
  const kind = isSaved(list.view) ? "saved" : list.view;
  return said({
    icon: ICONS[kind === "saved" ? "view" : kind === QUERY ? "search" : kind],
    title: t(`empty.${kind}`), text: t(`empty.${kind}.text`),
  });
}

/** @param {{icon?: unknown, title: string, text: string, acts?: {text: string, run: () => void}[]}} given */
function said({ icon = nothing, title, text, acts = [] }) {
  return html`<div class="empty"><span class="empty-icon">${icon}</span>
    <p class="empty-title">${title}</p><p>${text}</p>
    ${acts.length ? html`<p class="empty-acts">${acts.map((act) => html`<button type="button"
      class="button" @click=${act.run}>${act.text}</button>`)}</p>` : ""}</div>`;
}

function failed({ data: { lists: { sync } }, ui: { language: { t } } }) {
  const { problem } = sync.problem ?? {};
  return said({
    title: t("empty.failed"), text: problem ? refusal(problem, t) : t("empty.failed.text"),
  });
}

function building(share, t) {
  return html`<div class="building"><p>${t("building")}</p>
    <progress class="building-bar" max="1" .value=${share} aria-label=${t("building")}></progress></div>`;
}

// The notice for a deleted view, or for a query with a mistake.
/** @param {Page} page */
function refused(page) {
  const { data: { lists: { list, sync }, savedViews }, ui: { language: { t } } } = page;
  const { navigation } = page.acts;
  const { problem } = sync.problem ?? {};
  const leave = {
    text: t("view.open", { view: t(`view.${ELSEWHERE}`) }), run: () => navigation.goView(ELSEWHERE),
  };
  if (list.view === QUERY || problem?.code !== "not_found") {
    return said({
      icon: ICONS.search, title: t("query.refused"), text: refusal(problem, t),
      acts: [...correct(page), leave],
    });
  }
  const was = savedViews.last(list.view);
  const again = { text: t("view.gone.query"), run: () => navigation.openQuery(was.query) };
  return said({
    icon: ICONS.view, title: was ? t("view.gone", { name: was.name }) : t("view.none"),
    text: t(was ? "view.gone.text" : "view.none.text"), acts: was?.query ? [again, leave] : [leave],
  });
}

function correct({
  data: { lists: { list }, savedViews, admin },
  ui: { search, viewEditor, language: { t } },
}) {
  if (list.view === QUERY) return [{ text: t("query.edit"), run: () => search.open(list.query) }];
  const view = savedViews.of(list.view);
  return view && mayEdit(view, admin)
    ? [{ text: t("view.edit"), run: () => viewEditor.open({ id: view.id }) }] : [];
}

// The first steps, shown instead of an empty list before any event has come; then the first event.
const KEY_COMMAND = "KEY=$(.venv/bin/python app.py create-key --source shop)";
const COPIED_MS = 2000;

// The shell makes the id and the time; a time ahead of the server's counts as the time of receipt.
/** @param {string} origin */
const firstCommand = (origin) => `curl -X POST ${origin}/api/v1/events \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"id": "m-'$(date +%s)'", "type": "message", "thread": "t-1", "occurred_at": "'$(date -u +%FT%T.999Z)'", "role": "client", "customer": {"id": "c-1", "name": "Mai"}, "body": "Hello!"}'`;

export class FirstSteps extends PageModule {
  shown = false;
  #copied = null;

  /** @param {Page & { root: HTMLElement }} page */
  constructor({ root, ...page }) {
    super(page);
    this.root = root;
  }

  open() {
    this.shown = true;
    this.ui.painter.ask("first");
  }

  close() {
    this.shown = false;
    this.ui.painter.ask("first");
  }

  get #arrived() {
    const { listing } = this.data.lists;
    return ["arrival", "history"].some((view) => this.data.totals.of(view) > 0)
      || (listing.ready && listing.painted.total > 0);
  }

  paint() {
    const { t } = this.ui.language;
    this.root.hidden = !this.shown;
    const arrived = this.#arrived;
    if (this.shown && arrived && this.root.dataset.arrived !== "true") {
      this.ui.announce(t("first.arrived"));
    }
    this.root.dataset.arrived = String(arrived);
    render(this.shown ? this.#content(arrived) : "", this.root);
  }

  #content(arrived) {
    const { t } = this.ui.language;
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
    const { t } = this.ui.language;
    return html`<div class="first-command"><pre tabindex="0" aria-label=${t(`first.${name}`)}><code>${text}</code></pre>
      <button type="button" class="button" data-copies=${name} @click=${() => this.#copy(name, text)}
        >${t(this.#copied === name ? "first.copied" : "first.copy")}</button></div>`;
  }

  async #copy(name, text) {
    const shown = this.root.querySelector(`[data-copies="${name}"]`).previousElementSibling;
    if (!await copied(text, shown)) return;
    this.#copied = name;
    this.ui.announce(this.ui.language.t("first.copied"));
    this.ui.painter.ask("first");
    setTimeout(() => {
      this.#copied = null;
      this.ui.painter.ask("first");
    }, COPIED_MS);
  }

  #show() {
    this.close();
    this.acts.navigation.goList({ view: "arrival", sort: "arrival" });
  }
}
