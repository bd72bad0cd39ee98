// The area of settings, in place of the list and the conversation: its side navigation, and the page that the
// address names (/settings/NAME). The desk behind it goes on, and is as it was when the area is left.

import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { blurIn } from "../ui/elements/dialog.js";
import { ICONS } from "../ui/elements/icons.js";
import { copyButton } from "../ui/elements/lacking.js";
import { refusalOf } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";
import { askToDiscard } from "../ui/elements/popover.js";
import { Settings } from "../ui/dialogs/help.js";
import { banner } from "../ui/shell/banner.js";
import { isChanged } from "./elements.js";

// The pages by their groups; `boot.settings` names those that the admin may open.
const GROUPS = {
  you: ["profile", "appearance", "notifications", "keyboard"],
  desk: ["views", "sorts", "canned", "tags", "desks", "hours", "policies", "queues"],
  administration: ["reports", "accounts", "keys", "webhooks", "audit", "health"],
};
// The class of each page, and the files of texts that it needs.
/** @type {Record<string, {load(): Promise<any>, texts?: string[]}>} */
const PAGES = {
  profile: { load: async () => (await import("./profile.js")).ProfilePage, texts: ["settings/profile"] },
  appearance: { load: async () => (await import("./personal.js")).AppearancePage },
  notifications: { load: async () => (await import("./personal.js")).NotificationsPage },
  keyboard: { load: async () => (await import("./personal.js")).KeyboardPage },
  views: { load: async () => (await import("./views.js")).ViewsPage, texts: ["views", "query"] },
  sorts: { load: async () => (await import("./sorts.js")).SortsPage, texts: ["query"] },
  canned: { load: async () => (await import("./desk.js")).CannedPage },
  tags: { load: async () => (await import("./desk.js")).TagsPage },
  desks: { load: async () => (await import("./desk.js")).DesksPage },
  hours: { load: async () => (await import("./hours.js")).HoursPage, texts: ["hours"] },
  policies: { load: async () => (await import("./policies.js")).PoliciesPage, texts: ["hours", "query"] },
  queues: { load: async () => (await import("./queues.js")).QueuesPage, texts: ["settings/queues", "hours"] },
  accounts: { load: async () => (await import("./accounts.js")).AccountsPage, texts: ["settings/team"] },
  keys: { load: async () => (await import("./administration.js")).KeysPage, texts: ["settings/keys"] },
  webhooks: { load: async () => (await import("./webhooks.js")).WebhooksPage, texts: ["settings/webhooks"] },
  reports: { load: async () => (await import("../reports/page.js")).ReportsPage, texts: ["reports", "query"] },
  audit: { load: async () => (await import("./audit.js")).AuditPage, texts: ["settings/audit"] },
  health: { load: async () => (await import("./administration.js")).HealthPage },
};
const AREA = "/settings";
const DOWNLOAD_MS = 60_000; // a browser begins a download by then

/** @param {string} path @returns {string | null} the name of the page; null for the list of all */
const nameIn = (path) => path.split("/")[2] || null;

export class SettingsArea extends PageModule {
  /** @type {string | null} */
  #name = null; // of the page; null: the list of all pages, and on wide screens the first page
  /** @type {(import("./elements.js").SettingsPage & {moved?(): Promise<void>}) | null} */
  #page = null;
  #run = 0;
  #shown = false;
  #note = { text: "", secret: "", copy: "" };
  #narrow = window.matchMedia("(max-width: 720px)");
  /** @type {Element | null} */
  #opener = null; // had the focus on the desk
  #address = ""; // of the page, while it is shown

  /** @param {Page & { root: HTMLElement, names: string[], deskAddress(): string }} page */
  constructor({ root, names, deskAddress, ...page }) {
    super(page);
    this.root = root;
    root.replaceChildren(); // what stood there until now
    this.names = names;
    this.deskAddress = deskAddress;
    this.settings = new Settings(page);
    this.ui.painter.add("area", () => this.paint());
    this.#narrow.addEventListener("change", () => this.paint());
    addEventListener("beforeunload", (event) => { if (this.isDirty) event.preventDefault(); });
  }

  get shown() { return this.#shown; }
  get title() { return this.#shown ? this.ui.language.t(`settings.${this.#current}`) : ""; }
  get #current() { return this.#name ?? this.names[0]; }

  // Whether something is written here that is not saved.
  get isDirty() {
    if (!this.#shown) return false;
    const known = this.#page?.form?.isDirty; // by a form that keeps its values itself
    if (known !== undefined) return known;
    const forms = [...this.root.querySelectorAll("form.set-form")];
    return this.#page?.isDirty || forms.some((form) => isChanged(/** @type {HTMLFormElement} */ (form)));
  }

  // Opens a page for the admin, the one with this name, or the list of all.
  /** @param {string | null} name @param {string} search of the address */
  async open(name = null, search = "") {
    if (!await this.#mayLose()) return;
    const address = `${AREA}${name ? `/${name}` : ""}${search}`;
    if (address !== location.pathname + location.search) history.pushState({ ours: true }, "", address);
    await this.follow();
  }

  // Shows the page that the address names.
  async follow() {
    const name = nameIn(location.pathname);
    if (name !== null && !this.names.includes(name)) return this.#hide();
    if (this.#shown && name === this.#name && this.#page?.moved) {
      this.#address = location.pathname + location.search;
      return this.#page.moved();
    }
    this.#show(name);
    return this.#load();
  }

  #show(name) {
    if (!this.#shown) this.#opener = document.activeElement;
    this.#shown = true;
    this.#name = name;
    this.#address = location.pathname + location.search;
    this.#at("app").dataset.area = "settings";
    this.data.mode.focus(false);
    this.#drop();
  }

  async #load() {
    this.#run += 1;
    const run = this.#run;
    const { load, texts = [] } = PAGES[this.#current];
    this.paint();
    try {
      const [Kind] = await Promise.all([load(), ...texts.map((part) => this.ui.language.add(part))]);
      if (run !== this.#run) return;
      this.#page = new Kind({ data: this.data, net: this.net, ui: this.ui, acts: this.acts, area: this });
      this.ui.alerts.write();
      this.paint();
      this.focus();
      await this.#page.begin();
    } catch (error) {
      if (run === this.#run) this.say(refusalOf(error.status === undefined ? { status: 0 } : error,
        this.ui.language.t));
    }
    if (run === this.#run) this.paint();
  }

  #drop() {
    blurIn(this.root);
    this.#page?.end();
    this.#page = null;
    this.#note = { text: "", secret: "", copy: "" };
  }

  // Asks whether what is written may be lost.
  async #mayLose() { return !this.isDirty || askToDiscard(this.ui.dialog, this.ui.language.t); }

  // Shows the desk again, then runs `then`.
  async close(then = () => {}) {
    if (!this.#shown) return then();
    if (!await this.#mayLose()) return undefined;
    this.#hide();
    history.pushState({ ours: true }, "", this.deskAddress());
    return then();
  }

  // The page is the same, with another search in its address.
  // replace: it is another way to write the same address.
  /** @param {string} search */
  rename(search, replace = false) {
    const address = location.pathname + search;
    if (address !== this.#address) history[replace ? "replaceState" : "pushState"]({ ours: true }, "", address);
    this.#address = address;
  }

  // The address has changed, by the browser's buttons. Asks before a form is lost: meanwhile the address is
  // that of the form again. Returns whether it asks.
  /** @param {() => void} go shows what the address names */
  popped(go) {
    if (!this.isDirty) return false;
    const asked = location.href;
    history.pushState({ ours: true }, "", this.#address);
    this.#mayLose().then((sure) => {
      if (!sure) return;
      history.replaceState({ ours: true }, "", asked);
      go();
    });
    return true;
  }

  // The desk is to be shown, without another address.
  hide() { if (this.#shown) this.#hide(); }

  #hide() {
    this.#run += 1;
    this.#drop();
    this.#shown = false;
    delete this.#at("app").dataset.area;
    render("", this.root);
    this.data.mode.focus(document.hasFocus());
    const opener = /** @type {HTMLElement | null} */ (this.#opener);
    this.#opener = null;
    if (opener?.isConnected && opener !== document.body) opener.focus();
    else this.ui.listPane.focus();
    this.ui.alerts.write();
    this.ui.painter.askAll();
  }

  // Esc: leaves a form, then the page on a phone, then the area.
  async back() {
    if (this.#page?.form) await this.leaveForm();
    else if (this.#narrow.matches && this.#name) await this.open();
    else await this.close();
  }

  async leaveForm() {
    const page = this.#page;
    if (await this.#mayLose()) page.closeForm();
  }

  // Downloads texts as a file.
  /** @param {string[]} texts @param {string} type @param {string} name */
  download(texts, type, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(texts, { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_MS);
  }

  // Says a result, with a secret and a button to copy it.
  say(text, secret = "", copy = "") {
    this.#note = { text, secret, copy };
    this.paint();
  }

  // On a phone the first screen has no page, and so no heading.
  focus() {
    const first = this.root.querySelector("h1") ?? this.root.querySelector(".area-nav a");
    /** @type {HTMLElement | null} */ (first)?.focus();
  }

  #at(id) { return document.getElementById(id); }

  paint() {
    if (!this.#shown) return;
    const isList = this.#narrow.matches && !this.#name;
    render(html`<div class="area-frame" data-shown=${isList ? "list" : "page"}>
      ${this.#nav()}
      <main class="area-main">${isList ? "" : this.#content()}
        <div class="area-banner">${banner({ data: this.data, net: this.net, ui: this.ui,
          acts: this.acts })}</div></main></div>`, this.root);
  }

  #nav() {
    const { t } = this.ui.language;
    const groups = Object.entries(GROUPS)
      .map(([group, names]) => ({ group, names: names.filter((name) => this.names.includes(name)) }))
      .filter(({ names }) => names.length);
    return html`<nav class="area-nav" aria-label=${t("settings")}>
      <button type="button" class="area-item area-back"
        @click=${() => this.close()}>${ICONS.back} ${t("settings.back")}</button>
      ${groups.map(({ group, names }) => html`<div class="area-group" role="group"
        aria-labelledby=${`area-${group}`}>
        <div class="area-heading" id=${`area-${group}`}>${t(`settings.group.${group}`)}</div>
        ${names.map((name) => html`<a class="area-item" href=${`${AREA}/${name}`}
          aria-current=${name === this.#current && (this.#name || !this.#narrow.matches) ? "page" : nothing}
          @click=${(event) => this.followLink(event, name)}>${t(`settings.${name}`)}</a>`)}</div>`)}
      <button type="button" class="area-item area-sign-out" @click=${() => this.settings.signOut()}
        >${t("sign_out")}</button></nav>`;
  }

  // Follows a link to a page of this area.
  followLink(event, name) { this.onPlainPress(event, () => this.open(name)); }

  // Other presses than the plain one are the browser's, such as for a new tab.
  onPlainPress(event, run) {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    run();
  }

  #content() {
    const { t } = this.ui.language;
    const page = this.#page;
    const form = page?.form;
    const { text, secret, copy } = this.#note;
    return html`<div class="area-page" data-page=${this.#current} data-wide=${String(page?.isWide ?? false)}>
      <header class="area-head">
        <button type="button" class="icon-button area-up" aria-label=${t("settings.up")}
          title=${t("settings.up")}
          ?hidden=${!form && !this.#narrow.matches} @click=${() => this.back()}>${ICONS.back}</button>
        <h1 tabindex="-1">${form ? form.title : t(`settings.${this.#current}`)}</h1>
        ${page?.action && !form ? html`<button type="button" class="button button-accent area-action"
          @click=${page.action.run}>${page.action.text}</button>` : ""}</header>
      <p class="area-note" id="note" role="status">${text} ${secret ? html`<code
        class="settings-secret">${secret}</code>
        ${copyButton(secret, copy, t)}` : ""}</p>
      ${repeat(page ? [page] : [], (each) => each, () => repeat([form ?? page], (each) => each,
        (each) => each.content()))}
      ${page || text ? "" : html`<p class="set-help" role="status">${t("loading")}</p>`}</div>`;
  }
}
