// Everything that can be done, by name: what the palette offers.

import { languageName, LOCALES } from "../core/i18n.js";
import { keysOf } from "../core/keymap.js";
import { DENSITIES } from "../core/prefs.js";
import { FILTERS, PAGES, PRIORITIES, SORTS } from "../core/route.js";
import { THEMES } from "./theme.js";

// [{text, keys, run}, …]
export function commands(desk) {
  const { t } = desk;
  const under = (kind, names, run, key = () => "") => names.map((name) => ({
    text: `${t(kind)}: ${t(`${kind}.${name}`)}`, keys: key(name), run: () => run(name),
  }));
  return [
    ...(desk.row ? ofThread(desk) : []),
    ...PAGES.map((page) => ({
      text: t(`page.${page}`), keys: keysOf(`page:${page}`), run: () => desk.goPage(page),
    })),
    ...under("sort", SORTS, (name) => desk.goSort(name), (name) => keysOf(`sort:${name}`)),
    ...under("filter", FILTERS, (name) => desk.goFilter(name)),
    command(t, "search", () => desk.search.open()),
    command(t, "unread", () => desk.nextUnread(1)),
    command(t, "list:top", () => desk.toTop()),
    command(t, "list:pause", () => desk.togglePause()),
    command(t, "pick:all", () => desk.picks.all()),
    ...["team", "online"].map((name) => ({
      text: t(name), keys: "", run: () => desk.presencePanels.open(name),
    })),
    command(t, "help", () => desk.help()),
    { text: t("canned.title"), keys: "", run: () => desk.cannedDialog.open() },
    { text: t("settings"), keys: "", run: () => desk.settingsDialog.open() },
    ...(desk.admin.role === "supervisor"
      ? [{ text: t("webhooks"), keys: "", run: () => location.assign("/webhooks") }] : []),
    ...under("theme", THEMES, (name) => desk.settings.theme(name)),
    ...under("density", DENSITIES, (name) => desk.density.choose(name)),
    ...LOCALES.map((locale) => ({
      text: `${t("language")}: ${languageName(locale)}`, keys: "",
      run: () => desk.settings.language(locale),
    })),
    { text: t("sign_out"), keys: "", run: () => desk.settings.signOut() },
  ];
}

const command = (t, name, run) => ({ text: t(`key.${name}`), keys: keysOf(name), run });

function ofThread(desk) {
  const { t, row, admin, acts } = desk;
  const mine = row.assignee?.id === admin.id;
  return [
    command(t, "reply", () => desk.composer.focus()),
    { text: t(row.open ? "act.done" : "act.reopen"), keys: "e", run: () => acts.finish() },
    ...(row.assignee && !mine ? []
      : [{ text: t(mine ? "act.release" : "act.claim"), keys: "", run: () => acts.claim() }]),
    command(t, "thread:show", () => desk.showInList()),
    command(t, "customer", () => desk.customer.toggle()),
    command(t, "explain", () => desk.explain.open()),
    ...PRIORITIES.map((name) => ({
      text: `${t("act.priority")}: ${t(`priority.${name}`)}`, keys: "",
      run: () => acts.prioritise(name),
    })),
  ];
}
