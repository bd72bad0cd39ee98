// The frame of the page: renders each part into its place.

import { html, render } from "lit-html";

import { banner } from "./banner.js";
import { empty } from "./empty.js";
import { header } from "./header.js";
import { nav } from "./nav.js";
import { threadHead } from "./thread-head.js";

// painter parts: the names below
export function mount({ desk, page = document }) {
  const at = (id) => page.getElementById(id);
  const places = Object.fromEntries(
    [
      "nav", "list-header", "banner", "list-empty", "chip", "thread-head", "thread-new", "toasts",
    ].map((id) => {
      at(id).replaceChildren();
      return [id, at(id)];
    }),
  );
  const show = (id, content) => render(content, places[id]);
  const { painter } = desk;
  painter.add("shell", () => {
    at("app").dataset.panel = desk.panel;
    desk.splitter.label();
  });
  painter.add("nav", () => show("nav", nav(desk)));
  painter.add("header", () => show("list-header", header(desk)));
  painter.add("banner", () => show("banner", banner(desk)));
  painter.add("list", () => {
    desk.listPane.paint();
    desk.colleagues.look();
    if (desk.search.shown) desk.search.paint();
    at("list").setAttribute("aria-label", listLabel(desk));
    show("list-empty", empty(desk));
  });
  painter.add("search", () => desk.search.paint());
  painter.add("palette", () => desk.palette.paint());
  painter.add("dialog", () => desk.dialog.paint());
  painter.add("chip", () => show("chip", desk.follow.render()));
  painter.add("customer", () => desk.customer.paint());
  painter.add("messages", () => desk.messages.paint());
  painter.add("thread", () => {
    show("thread-head", threadHead(desk));
    show("thread-new", newMessages(desk));
  });
  painter.add("composer", () => desk.composer.paint());
  painter.add("toasts", () => show("toasts", desk.toasts.render(desk.t)));
}

const listLabel = ({ t, place }) => t("list.label", {
  page: t(`page.${place.page}`), sort: t(`sort.${place.sort}`),
});

function newMessages(desk) {
  const count = desk.messages.unseen;
  if (!count && desk.thread.messages.atNewest) return "";
  const text = count ? desk.t("thread.new", { count }) : desk.t("thread.newest");
  return html`<button type="button" class="button button-accent"
    @click=${() => desk.messages.toEnd()}>↓ ${text}</button>`;
}
