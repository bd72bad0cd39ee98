// Registers with the painter the content and the element of each part of the page.

import { render } from "lit-html";

import { Lazy } from "../ui/elements/lazy.js";
import { about, header } from "../ui/list/header.js";
import { banner } from "../ui/shell/banner.js";
import { nav } from "../ui/shell/nav.js";

const THREAD_PANE_AFTER_MS = 50; // the first rows are on screen by then

const at = (id) => document.getElementById(id);

// Registers a part that consists of one template in one element.
function region(painter, name, id, content) {
  const element = at(id);
  element.replaceChildren();
  painter.add(name, () => render(content(), element));
}

/** @param {Page} page */
export function addRegions(page) {
  const { painter, layout, splitter, follow, toasts, language, search, palette, customer } = page.ui;
  const hint = new Lazy({ load: async () => new (await import("../ui/list/hint.js")).ListHint(page) });
  region(painter, "nav", "nav", () => nav(page));
  painter.add("queue", () => page.ui.queueLine.part?.paint());
  region(painter, "about", "list-about", () => about(page));
  region(painter, "header", "list-header", () => {
    if (hint.part || page.data.lists.listing.news.size) hint.preload().then((part) => part?.look());
    return header(page);
  });
  region(painter, "banner", "banner", () => banner(page));
  region(painter, "chip", "chip", () => follow.render() || hint.part?.render() || "");
  region(painter, "toasts", "toasts", () => toasts.render(language.t));
  painter.add("shell", () => {
    at("app").dataset.panel = layout.panel;
    splitter.label();
  });
  painter.add("search", () => search.paint());
  painter.add("palette", () => palette.paint());
  painter.add("dialog", () => page.ui.dialog.paint());
  painter.add("hand-over", () => page.ui.handOver.paint());
  painter.add("tags", () => page.ui.tagPicker.paint());
  painter.add("customer", () => customer.paint());
  painter.add("first", () => page.ui.firstSteps.paint());
  addList(page);
}

/** @param {Page} page */
function addList(page) {
  const { data: { lists }, ui: { painter, listPane, rowRefresh, search, language } } = page;
  const thread = addThread(page);
  const empty = new Lazy({ load: async () => (await import("../ui/list/empty.js")).empty });
  at("list-empty").replaceChildren();
  painter.add("list", () => {
    const { t } = language;
    const { view, sort } = lists.list;
    listPane.paint();
    rowRefresh.look();
    if (search.shown) search.paint();
    const label = t("list.label", { view: t(`view.${view}`), sort: t(`sort.${sort}`) });
    at("list").setAttribute("aria-label", label);
    at("list").inert = lists.sync.state === "refused";
    if (empty.part) render(empty.part(page), at("list-empty"));
    else if (lists.isWithoutRows) empty.preload().then((part) => part && painter.ask("list"));
    page.ui.viewTold();
    painter.ask("first", "about");
    if (lists.listing.ready || lists.sync.state === "failed") thread.allow();
  });
}

// The scripts of the thread's pane are loaded when a thread is open or once the list is painted.
function addThread({ data: { thread }, ui: { painter, threadPane, customer, bulk, notifier } }) {
  let allowed = false;
  const load = async () => {
    const [pane] = await Promise.all([threadPane.get(), customer.preload()]);
    if (pane) painter.ask("thread", "messages", "composer", "customer");
    if (await bulk.preload()) painter.ask("header", "banner");
    await notifier.preload();
  };
  painter.add("thread", () => {
    customer.paint();
    if (threadPane.part) threadPane.part.paintHead();
    else if (allowed || thread.id !== null) load();
  });
  painter.add("messages", () => threadPane.part?.messages.paint());
  painter.add("composer", () => {
    threadPane.part?.composer.paint();
    threadPane.part?.messages.watch();
  });
  return {
    allow() {
      if (!allowed) setTimeout(load, THREAD_PANE_AFTER_MS);
      allowed = true;
    },
  };
}
