// The command palette: finds commands, views and threads by a few letters; and a choice among many.

import { html, render } from "lit-html";

import { matching } from "../../core/find.js";
import { languageName, LOCALES } from "../../core/i18n.js";
import { DENSITIES, THEMES } from "../../core/prefs.js";
import { sortsOf } from "../../core/query/sorts.js";
import { claimText } from "../../core/row-texts.js";
import { Search } from "../../core/search.js";
import { chord } from "./settings.js";
import { nameOf } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";

const FOUND = 6;
const THREAD = /^#?([1-9]\d{0,11})$/;

export class Palette {
  #query = "";
  #active = 0;
  /** @type {PaletteChoice | null} */
  #choice = null;

  // commands(): what can be done now, [{text, keys, run}]; openFound(result, query) opens what was found.
  /** @param {PaletteParts} parts */
  constructor({
    element, commands, api, rows, painter, language, openThread, openFound, openSearch,
  }) {
    this.element = element;
    this.commands = commands;
    this.api = api;
    this.rows = rows;
    this.painter = painter;
    this.language = language;
    this.openThread = openThread;
    this.openFound = openFound;
    this.openSearch = openSearch;
    this.search = new Search({
      ask: (...given) => api.search(...given),
      limit: FOUND,
      changed: () => painter.ask("palette"),
    });
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
  }

  // choice: these entries alone, instead of all commands.
  /** @param {PaletteChoice | null} choice */
  open(choice = null) {
    this.#choice = choice;
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
    const { t } = this.language;
    const query = this.#query.trim();
    if (this.#choice) return matching(this.#choice.entries(), query);
    const found = query ? this.search.results.map(({ row, message }) => ({
      text: nameOf(this.rows.get(row.id) ?? row, t),
      about: message?.excerpt ?? row.preview?.body ?? "",
      icon: ICONS.thread, run: () => this.openFound({ row, message }, query),
    })) : [];
    const number = THREAD.exec(query)?.[1];
    return [
      ...(number ? [{ text: t("palette.thread", { id: `#${number}` }), icon: ICONS.thread,
        run: () => this.openThread(Number(number)) }] : []),
      ...matching(this.commands(), query),
      ...(query ? [{ text: t("palette.search", { query }), icon: ICONS.search, keys: "/",
        run: () => this.openSearch(query) }] : []),
      ...found,
    ];
  }

  #content() {
    const { t } = this.language;
    const entries = this.#entries();
    const label = this.#choice?.label ?? t("palette");
    this.#active = Math.min(this.#active, Math.max(0, entries.length - 1));
    return html`<input class="palette-field" type="text" role="combobox" aria-expanded="true"
        aria-controls="palette-list" aria-autocomplete="list" aria-label=${label}
        aria-activedescendant=${entries.length ? `palette-${this.#active}` : ""} autocomplete="off"
        placeholder=${this.#choice?.label ?? t("palette.hint")} @input=${(event) => this.#type(event.target.value)}
        @keydown=${(event) => this.#key(event, entries)}>
      <div class="palette-list" id="palette-list" role="listbox" aria-label=${label}
        >${entries.map((entry, index) => this.#entry(entry, index))}</div>
      ${entries.length ? "" : html`<p class="palette-none" role="status">${t("search.nothing")}</p>`}`;
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

// All commands of the palette.

/** @param {CommandParts} parts @returns {Command[]} */
export function commands(parts) {
  const { navigation, settings, choices, keymap, language: { t } } = parts;
  const command = commandOf(parts);
  const under = (kind, names, run, keyed = false) => names.map((name) => ({
    text: `${t(kind)}: ${t(`${kind}.${name}`)}`,
    keys: keyed ? keymap.keysOf(`${kind}:${name}`) : "",
    run: () => run(name),
  }));
  return [
    ...(parts.thread.row ? ofThread(parts) : []),
    ...(parts.snoozing?.commands() ?? []),
    ...choices.views.map((view) => ({
      text: t(`view.${view}`), keys: keymap.keysOf(`view:${view}`), run: () => navigation.goView(view),
    })),
    ...ofViews(parts),
    ...under("sort", sortsOf(parts.lists.list.view, choices.sorts), (name) => navigation.goSort(name), true),
    ...under("filter", choices.filters, (name) => navigation.goFilter(name), true),
    command("search", () => parts.search.open()),
    command("filters", () => parts.search.open(null, { filters: true })),
    ...(parts.threadPane.part?.found.shown ? ["next", "previous"].map((name) => (
      command(`match:${name}`, () => parts.threadPane.part.found.step(name === "next" ? 1 : -1))
    )) : []),
    command("unread", () => parts.finder.nextUnread(1)),
    command("list:top", () => parts.toTop()),
    command("list:pause", () => parts.movement.togglePause()),
    command("pick:all", () => parts.picks.all()),
    ...["team", "online"].map((name) => ({
      text: t(name), keys: "", run: () => parts.presencePanels.open(name), also: alsoOf(name, t),
    })),
    command("undo", async () => (await parts.acting.get())?.undoing.undo()),
    command("help", () => parts.helpDialog.open()),
    { text: t("unsent.title"), keys: "", run: () => parts.unsentDialog.open() },
    { text: t("canned.title"), keys: "", run: () => parts.cannedDialog.open() },
    { text: t("settings"), keys: "", run: () => parts.settingsDialog.open(),
      also: alsoOf("settings", t) },
    { text: t("profile"), keys: "", run: () => location.assign("/profile"), also: t("also.profile") },
    ...(parts.admin.role === "supervisor" ? [
      { text: t("sorts.title"), keys: "", run: () => parts.sortsDialog.open() },
      { text: t("hours.title"), keys: "", run: () => parts.calendarsDialog.open(), also: t("also.hours") },
      { text: t("policies.title"), keys: "", run: () => parts.policiesDialog.open(),
        also: t("also.policies") },
      { text: t("accounts"), keys: "", run: () => location.assign("/team"), also: t("also.accounts") },
      { text: t("keys.api"), keys: "", run: () => location.assign("/keys") },
      { text: t("webhooks"), keys: "", run: () => location.assign("/webhooks") }] : []),
    ...under("theme", THEMES, (name) => settings.setTheme(name)),
    ...under("density", DENSITIES, (name) => parts.density.choose(name)),
    ...LOCALES.map((locale) => ({
      text: `${t("language")}: ${languageName(locale)}`, keys: "",
      run: () => settings.setLanguage(locale),
    })),
    { text: t("sign_out"), keys: "", run: () => settings.signOut() },
  ];
}

// Saved views are found by their names, what they ask for, and the word for views.
function ofViews({ savedViews, navigation, viewsDialog, viewEditor, lists, language: { t } }) {
  const { query, sort } = lists.list;
  return [
    ...savedViews.list.map((view, place) => ({
      text: t("palette.view", { name: view.name }), keys: place < 9 ? `g ${place + 1}` : "",
      run: () => navigation.goView(view.id), also: view.query,
    })),
    { text: t("views.manage"), keys: "g v", run: () => viewsDialog.open(), also: t("views") },
    ...(query ? [{ text: t("view.save"), keys: "", run: () => viewEditor.open({ query, sort }) }] : []),
  ];
}

const commandOf = ({ keymap, language: { t } }) => (name, run) => ({
  text: t(`key.${name}`), keys: keymap.keysOf(name), run, also: alsoOf(name, t),
});

// Other words under which a command is looked for.
const SYNONYMS = new Set([
  "done", "claim", "release", "reply", "settings", "team", "help", "search", "undo", "pick:all",
]);
const alsoOf = (name, t) => (SYNONYMS.has(name) ? t(`also.${name}`) : "");

function ofThread(parts) {
  const { thread: { row }, admin, acting, choices, keymap, language: { t } } = parts;
  const act = (run) => async () => run((await acting.get())?.actions);
  const command = commandOf(parts);
  const mine = row.assignee?.id === admin.id;
  return [
    command("reply", () => parts.write("reply")),
    command("note", () => parts.write("note")),
    ...(parts.threadPane?.part?.composer.canSend ? ofDraft(parts) : []),
    { text: t(row.open ? "act.done" : "act.reopen"), keys: "e", run: () => parts.finish(),
      also: alsoOf("done", t) },
    ...(row.assignee && !mine && admin.role !== "supervisor" ? []
      : [{ text: claimText(row, admin.id, t), keys: keymap.keysOf("thread:claim"),
        run: act((actions) => actions?.claim()), also: alsoOf(mine ? "release" : "claim", t) }]),
    ...(row.assignee && !mine && admin.role !== "supervisor" ? []
      : [{ text: `${t("act.hand")}…`, keys: keymap.keysOf("thread:hand"),
        run: () => parts.handOver.open(), also: t("also.hand") }]),
    { text: `${t("tags")}…`, keys: keymap.keysOf("thread:tag"), run: () => parts.tagPicker.open(),
      also: t("also.tags") },
    command("thread:show", () => parts.finder.showInList()),
    command("customer", () => parts.customer.toggle()),
    command("explain", () => parts.explain.open()),
    command("print", () => parts.threadPane.part?.printout.print()),
    ...choices.priorities.map((name) => ({
      text: `${t("act.priority")}: ${t(`priority.${name}`)}`, keys: keymap.keysOf(`priority:${name}`),
      run: act((actions) => actions?.prioritise(name)),
    })),
  ];
}

// What sends the text in the composer.
function ofDraft({ threadPane: { part: { composer } }, keymap, language: { t } }) {
  return ["stay", "done", "next"].map((after) => ({
    text: composer.sendText(after), keys: keymap.keysOf(after === "stay" ? "send" : `send:${after}`),
    run: () => composer.send(after),
  }));
}
