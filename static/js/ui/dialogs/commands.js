// All commands of the palette.

import { claimText } from "../../core/hand-over/texts.js";
import { languageName, LOCALES } from "../../core/i18n.js";
import { DENSITIES, THEMES } from "../../core/prefs.js";
import { sortsOf } from "../../core/query/sorts.js";

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
