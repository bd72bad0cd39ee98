// The command palette: finds commands, views and threads by a few letters; also used as a list of choices.

import { html, render } from "lit-html";

import { matching } from "../../core/find.js";
import { languageName, LOCALES } from "../../core/i18n.js";
import { PLACES } from "../../core/places.js";
import { DENSITIES, THEMES } from "../../core/prefs.js";
import { sortsOf } from "../../core/query/sorts.js";
import { claimText } from "../../core/row-texts.js";
import { Search } from "../../core/search.js";
import { chord } from "./help.js";
import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { PageModule } from "../elements/page-module.js";

const FOUND = 6;
const THREAD = /^#?([1-9]\d{0,11})$/;

export class Palette extends PageModule {
  #query = "";
  #active = 0;
  /** @type {PaletteChoice | null} */
  #choice = null;

  // commands(): the commands possible now, [{text, keys, run}]; openFound(result, query) opens a result.
  /** @param {Page & {
   *   element: HTMLDialogElement, commands: () => Command[],
   *   openFound: (result: Found, query: string) => void,
   * }} page */
  constructor({ element, commands, openFound, ...page }) {
    super(page);
    this.element = element;
    this.commands = commands;
    this.openFound = openFound;
    this.search = new Search({
      ask: (...given) => this.net.api.search(...given),
      limit: FOUND,
      changed: () => this.ui.painter.ask("palette"),
    });
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
  }

  // sorts: lets the admin choose among all sorts, instead of the commands; the current one is selected at first.
  /** @param {{sorts?: boolean}} options */
  open({ sorts = false } = {}) {
    this.#choice = sorts ? sortChoice(this) : null;
    this.#type("");
    this.#active = Math.max(0, this.#entries().findIndex(({ isCurrent }) => isCurrent));
    if (!this.element.open) this.element.showModal();
    this.element.querySelector("input").value = "";
    this.paint();
  }

  paint() {
    if (this.element.open || this.#query === "") render(this.#content(), this.element);
    this.element.querySelector(".palette-active")?.scrollIntoView({ block: "nearest" });
  }

  #type(query) {
    this.#query = query;
    this.#active = 0;
    this.search.type(query.length > 1 && !this.#choice ? query : "");
    this.paint();
  }

  #entries() {
    const { t } = this.ui.language;
    const query = this.#query.trim();
    if (this.#choice) return matching(this.#choice.entries(), query);
    const found = query ? this.search.results.map(({ row, message }) => ({
      text: nameOf(this.data.rows.get(row.id) ?? row, t),
      about: message?.excerpt ?? row.preview?.body ?? "",
      icon: ICONS.thread, run: () => this.openFound({ row, message }, query),
    })) : [];
    const number = THREAD.exec(query)?.[1];
    return together([
      ...under(t("help.go"), number ? [{ text: t("palette.thread", { id: `#${number}` }), icon: ICONS.thread,
        run: () => this.acts.open(Number(number)) }] : []),
      ...matching(this.commands(), query),
      ...under(t("search.results"), [...(query ? [{ text: t("palette.search", { query }), icon: ICONS.search, keys: "/",
        run: () => this.ui.search.open(query) }] : []), ...found]),
    ]);
  }

  #content() {
    const { t } = this.ui.language;
    const entries = this.#entries();
    const label = this.#choice?.label ?? t("palette");
    this.#active = Math.min(this.#active, Math.max(0, entries.length - 1));
    return html`<input class="palette-field" type="text" role="combobox" aria-expanded="true"
        aria-controls="palette-list" aria-autocomplete="list" aria-label=${label}
        aria-activedescendant=${entries.length ? `palette-${this.#active}` : ""} autocomplete="off"
        placeholder=${this.#choice?.label ?? t("palette.hint")} @input=${(event) => this.#type(event.target.value)}
        @keydown=${(event) => this.#key(event, entries)}>
      <div class="palette-list" id="palette-list" role="listbox" aria-label=${label}
        >${this.#groups(entries)}</div>
      ${entries.length ? "" : html`<p class="palette-none" role="status">${t("search.nothing")}</p>`}`;
  }

  // The entries, each group of them under its name; those of a choice have none.
  #groups(entries) {
    return [...groupsOf(entries)].map(([group, some]) => {
      const shown = some.map((entry) => this.#entry(entry, entries.indexOf(entry)));
      return group ? html`<div class="palette-group" role="group" aria-label=${group}
        ><div class="palette-heading" aria-hidden="true">${group}</div>${shown}</div>` : shown;
    });
  }

  #entry({ text, about, icon, keys, run }, index) {
    const active = index === this.#active;
    return html`<div class="palette-entry ${active ? "palette-active" : ""}" role="option"
      id="palette-${index}" aria-selected=${String(active)} @click=${() => this.#run(run)}
      ><span class="palette-icon">${icon ?? ""}</span><bdi class="palette-text">${text}</bdi>
      <span class="palette-about" dir="auto">${about ?? ""}</span>${keys ? chord(keys) : ""}</div>`;
  }

  #run(run) {
    this.element.close();
    run();
  }

  #key(event, entries) {
    if (event.isComposing || event.keyCode === 229) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#active = (this.#active + step + entries.length) % (entries.length || 1);
    else if (event.key === "Enter" && entries.length) this.#run(entries[this.#active].run);
    else return;
    event.preventDefault();
    this.paint();
  }
}

// Returns the entries as those of a group, which has this name.
/** @param {string} group */
const under = (group, entries) => entries.map((entry) => ({ group, ...entry }));

// Returns the entries with those of a group together, the groups in the order of their first ones.
const together = (entries) => [...groupsOf(entries).values()].flat();

function groupsOf(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry.group, [...groups.get(entry.group) ?? [], entry]);
  return groups;
}

// The choice among all sorts of the list.
/** @param {Page} page @returns {PaletteChoice} */
export function sortChoice({ data: { choices, lists }, ui: { keymap, language: { t } }, acts: { navigation } }) {
  return {
    label: t("sorts.choose"),
    entries: () => sortsOf(lists.list.view, choices.sorts).map((name) => ({
      text: t(`sort.${name}`), keys: keymap.keysOf(`sort:${name}`),
      icon: name === lists.list.sort ? ICONS.check : "", isCurrent: name === lists.list.sort,
      run: () => navigation.goSort(name),
    })),
  };
}

// All commands of the palette, in groups.
/** @param {Page & {
 *   settings: import("./help.js").Settings, snoozing?: { commands(): Command[] },
 * }} page @returns {Command[]} */
export function commands(page) {
  const { data: { choices }, ui: { keymap, language: { t } }, acts: { navigation } } = page;
  const command = commandOf(page);
  const { size } = page.ui.picks;
  const ofDesk = [
    ...under(size ? t("pick.count", { count: size }) : t("help.thread"), [
      ...(size ? ofPicked(page) : page.data.thread.row ? ofThread(page) : []),
      ...(page.snoozing?.commands() ?? []),
    ]),
    ...under(t("help.go"), [
      ...PLACES.map((view) => ({
        text: t(`view.${view}`), icon: ICONS[view], keys: keymap.keysOf(`view:${view}`),
        run: () => navigation.goView(view),
      })),
      ...ofViews(page),
      command("search", () => page.ui.search.open()),
      ...["team", "online"].map((name) => ({
        text: t(name), icon: ICONS[name], keys: "", run: () => page.ui.presencePanels.open(name),
        also: alsoOf(name, t),
      })),
      { text: t("unsent.title"), icon: ICONS.unsent, keys: "", run: () => page.ui.unsentDialog.open() },
    ]),
    ...under(t("help.list"), [
      ...(page.ui.queues?.part?.commands() ?? []),
      ...named(page, "sort", sortsOf(page.data.lists.list.view, choices.sorts), (name) => navigation.goSort(name), sortIcon),
      { text: `${t("past.open")}…`, icon: ICONS.hours, keys: "", run: () => navigation.goPast(page.net.now()), also: t("also.past") },
      command("filters", () => page.ui.search.open(null, { filters: true })),
      command("unread", () => page.acts.finder.nextUnread(1)),
      command("list:top", () => page.acts.toTop()),
      command("list:pause", () => page.data.movement.togglePause()),
      command("pick:all", () => page.ui.picks.all()),
    ]),
    ...under(t("help.page"), [command("undo", async () => (await page.acts.acting.get())?.undoing.undo())]),
  ];
  return together([
    ...ofDesk.map((each) => ({ ...each, run: leaving(page, each.run) })),
    ...under(t("help.page"), [command("help", () => page.ui.helpDialog.open())]),
    ...under(t("settings"), ofSettings(page)),
  ]);
}

// Commands for the values of a setting or of the list: "Theme: Dark".
/** @param {Page} page @param {string} kind @param {string[]} names @param {(name: string) => void} run */
function named({ ui: { keymap, language: { t } } }, kind, names, run, icon = (_name) => ICONS[kind]) {
  return names.map((name) => ({
    text: `${t(kind)}: ${t(`${kind}.${name}`)}`, icon: icon(name), keys: keymap.keysOf(`${kind}:${name}`),
    run: () => run(name),
  }));
}

// The server may have sorts without an icon of their own.
const sortIcon = (sort) => ICONS[globalThis.document?.getElementById(`icon-sort_${sort}`)
  ? `sort_${sort}` : "sort"];

// The icons of pages of settings; the others have that of settings.
const ICON_OF_PAGE = {
  profile: "mine", appearance: "theme", keyboard: "help", sorts: "sort", canned: "canned", tags: "tag",
  hours: "hours", policies: "sort_next_due", accounts: "team", keys: "key", webhooks: "webhook", reports: "reports",
};

// The pages that the admin may open, and what is set at once. The page of views has a key, and is among the
// commands of views.
/** @param {Page & { settings: import("./help.js").Settings }} page */
function ofSettings(page) {
  const { settings, data: { settingsPages }, ui: { density, language: { t } }, acts: { openSettings } } = page;
  return [
    { text: t("settings"), icon: ICONS.settings, keys: "", run: () => openSettings(), also: alsoOf("settings", t) },
    ...settingsPages.filter((name) => name !== "views").map((name) => ({
      text: t(`settings.${name}`), icon: ICONS[ICON_OF_PAGE[name] ?? "settings"], keys: "",
      run: () => openSettings(name), also: alsoOf(name, t),
    })),
    ...named(page, "theme", THEMES, (name) => settings.setTheme(name)),
    ...named(page, "density", DENSITIES, (name) => density.choose(name)),
    ...LOCALES.map((locale) => ({
      text: `${t("language")}: ${languageName(locale)}`, icon: ICONS.language, keys: "",
      run: () => settings.setLanguage(locale),
    })),
    { text: t("sign_out"), icon: ICONS.sign_out, keys: "", run: () => settings.signOut() },
  ];
}

// Settings that cover the desk are left before anything is done there.
/** @param {Page} page @param {() => void} run */
function leaving({ ui: { settings } }, run) {
  return () => (settings?.part?.shown ? settings.part.close(run) : run());
}

// Saved views are found by their names, their queries, and the word for views.
function ofViews({
  data: { savedViews, lists },
  ui: { viewEditor, language: { t } },
  acts: { navigation, openSettings },
}) {
  const { query, sort } = lists.list;
  return [
    ...savedViews.list.map((view, place) => ({
      text: t("palette.view", { name: view.name }), icon: ICONS[view.owner === "me" ? "view" : "view_shared"],
      keys: place < 9 ? `g ${place + 1}` : "",
      run: () => navigation.goView(view.id), also: view.query,
    })),
    { text: t("views.manage"), icon: ICONS.views, keys: "g v", run: () => openSettings("views"), also: t("views") },
    { text: t("view.new"), icon: ICONS.add, keys: "", run: () => viewEditor.open() },
    ...(query ? [{ text: t("view.save"), icon: ICONS.add, keys: "",
      run: () => viewEditor.open({ query, sort }) }] : []),
  ];
}

// The icons of commands that have another name.
const ICON_OF = {
  filters: "filter", unread: "not_respond", "list:top": "up", "list:pause": "pause", "pick:all": "check",
  "match:next": "down", "match:previous": "up", reply: "thread", note: "draft", "thread:show": "locate",
  customer: "mine",
};
const commandOf = ({ ui: { keymap, language: { t } } }) => (name, run) => ({
  text: t(`key.${name}`), icon: ICONS[ICON_OF[name] ?? name], keys: keymap.keysOf(name), run, also: alsoOf(name, t),
});

// Other words under which a command, or a page of settings, is found.
const SYNONYMS = new Set([
  "done", "claim", "release", "reply", "settings", "team", "help", "search", "undo", "pick:all",
  "profile", "hours", "policies", "accounts",
]);
const alsoOf = (name, t) => (SYNONYMS.has(name) ? t(`also.${name}`) : "");

// Acts on the selected threads: those of the bar above the list.
/** @param {Page} page */
function ofPicked({ data: { lists }, ui: { bulk: { part }, language: { t } } }) {
  const isClosed = lists.list.view === "history";
  return !part ? [] : [
    { text: t(isClosed ? "act.reopen" : "act.done"), key: "e", run: () => part.finish(), also: alsoOf("done", t) },
    { text: t("act.claim"), key: "t", run: () => part.run("claim"), also: alsoOf("claim", t) }, ...part.items(),
  ].filter(({ run }) => run).map((item) => ({ keys: item.key, ...item }));
}

/** @param {Page} page */
function ofThread(page) {
  const { data: { thread: { row }, admin, choices }, ui: { keymap, language: { t } } } = page;
  const { acting } = page.acts;
  const act = (run) => async () => run((await acting.get())?.actions);
  const command = commandOf(page);
  const mine = row.assignee?.id === admin.id;
  const pane = page.ui.threadPane?.part;
  return [
    command("reply", () => page.acts.write("reply")),
    command("note", () => page.acts.write("note")),
    ...(pane?.composer.canSend ? ofDraft(page) : []),
    { text: t(row.open ? "act.done" : "act.reopen"), icon: ICONS.check, keys: "e", run: act((actions) => actions?.finishByKey(row.id)),
      also: alsoOf("done", t) },
    ...(row.assignee && !mine && admin.role !== "supervisor" ? []
      : [{ text: claimText(row, admin.id, t), icon: ICONS.mine, keys: keymap.keysOf("thread:claim"),
        run: act((actions) => actions?.claim()), also: alsoOf(mine ? "release" : "claim", t) }]),
    ...(row.assignee && !mine && admin.role !== "supervisor" ? []
      : [{ text: `${t("act.hand")}…`, icon: ICONS.hand, keys: keymap.keysOf("thread:hand"),
        run: () => page.ui.handOver.open(null, page.ui.picks.opened), also: t("also.hand") }]),
    { text: `${t("tags")}…`, icon: ICONS.tag, keys: keymap.keysOf("thread:tag"),
      run: () => page.ui.tagPicker.open(null, page.ui.picks.opened), also: t("also.tags") },
    command("thread:show", () => page.acts.finder.showInList()),
    command("customer", () => page.ui.customer.toggle()),
    command("explain", () => page.ui.explain.open()),
    { text: t("changes"), icon: ICONS.history, keys: "", run: () => page.ui.changes.open() },
    command("print", () => pane?.printout.print()),
    ...(pane?.found.shown ? ["next", "previous"].map((name) => (
      command(`match:${name}`, () => pane.found.step(name === "next" ? 1 : -1)))) : []),
    ...choices.priorities.map((name) => ({
      text: `${t("act.priority")}: ${t(`priority.${name}`)}`, icon: ICONS.sort_priority, keys: keymap.keysOf(`priority:${name}`),
      run: act((actions) => actions?.prioritise(name)),
    })),
  ];
}

// Commands that send the text in the composer.
function ofDraft({ ui: { threadPane: { part: { composer } }, keymap, language: { t } } }) {
  return ["stay", "done", "next"].map((after) => ({
    text: composer.sendText(after), icon: ICONS.send, keys: keymap.keysOf(after === "stay" ? "send" : `send:${after}`),
    run: () => composer.send(after),
  }));
}
