// Over the messages: whose thread this is, its state, and what can be done with it.

import { html } from "lit-html";

import { age } from "../core/time.js";
import { avatar, who } from "./avatar.js";
import { ICONS } from "./icons.js";
import { menu, priorities } from "./menu.js";
import { threadDot, threadPresence } from "./presence-thread.js";
import { memberText } from "./row.js";

export function threadHead(desk) {
  const { t, row, threadId } = desk;
  if (threadId === null) return "";
  return html`
    <button type="button" class="icon-button thread-back" aria-label=${t("thread.back")}
      @click=${() => desk.back()}>${ICONS.back}</button>
    ${row ? html`${avatar(row, t, threadDot(desk))}
      <div class="thread-who"><div class="thread-line"><h2 class="thread-name"
        id="thread-title">${who(row, t)}</h2>${threadPresence(desk)}</div>
        <span class="thread-facts">${facts(row, desk)}</span></div>` : html`<div
          class="thread-who"></div>`}
    <div class="thread-acts">${row ? acts(row, desk) : ""}</div>`;
}

function facts(row, { t, words, now, admin }) {
  const told = [
    row.open ? "" : t("thread.closed"),
    row.waiting_since === null ? ""
      : t("row.waiting", { time: words.short(age(row.waiting_since, now()), t("time.now")) }),
    row.customer?.member_status >= 0 ? memberText(row, t) : "",
    row.assignee ? t("thread.assignee", {
      name: row.assignee.id === admin.id ? t("author.you") : row.assignee.name,
    }) : t("filter.unassigned"),
    row.source, row.customer?.locale ?? "",
  ];
  return told.filter(Boolean).join(" · ");
}

function acts(row, desk) {
  const { t, admin } = desk;
  const mine = row.assignee?.id === admin.id;
  return html`
    ${row.assignee && !mine ? "" : html`<button type="button" class="button act-claim"
      @click=${() => desk.acts.claim()}>${t(mine ? "act.release" : "act.claim")}</button>`}
    ${menu({
      id: "priority-menu",
      label: t("act.priority"),
      className: "button act-priority",
      text: html`<span data-priority=${row.priority}>${t(`priority.${row.priority}`)}</span>
        ${ICONS.down}`,
      items: priorities(t, (name) => desk.acts.prioritise(name), row.priority),
    })}
    <button type="button" class="button act-explain" id="explain-button" aria-keyshortcuts="w"
      aria-label=${t("act.explain")} title=${t("act.explain.title")}
      @click=${() => desk.explain.open()}
      >${ICONS.explain}<span class="act-text">${t("act.explain")}</span><kbd>w</kbd></button>
    <button type="button" class="button act-show" aria-keyshortcuts="."
      aria-label=${t("act.show")} title=${t("act.show.title")}
      @click=${() => desk.showInList()}>${ICONS.locate}<span
        class="act-text">${t("act.show")}</span><kbd>.</kbd></button>
    <button type="button" class="button act-customer" aria-keyshortcuts="i"
      aria-pressed=${String(desk.customer.shown)}
      aria-label=${t("customer")} title=${t("customer.toggle")}
      @click=${() => desk.customer.toggle()}
      >${ICONS.mine}</button>
    ${more(row, desk)}
    <button type="button" class="button act-done" aria-keyshortcuts="e"
      @click=${() => desk.acts.finish()}
      ><span>${t(row.open ? "act.done" : "act.reopen")}</span><kbd>e</kbd></button>`;
}

// On narrow screens: what has no button of its own there.
function more(row, desk) {
  const { t, admin, acts } = desk;
  const mine = row.assignee?.id === admin.id;
  const claim = { text: t(mine ? "act.release" : "act.claim"), run: () => acts.claim() };
  return menu({
    id: "more-menu",
    label: t("act.more"),
    className: "button act-more",
    text: ICONS.more,
    items: [
      ...(row.assignee && !mine ? [] : [claim]),
      { text: t("act.show"), run: () => desk.showInList() },
      { text: t("act.explain"), run: () => desk.explain.open() },
      { text: t("customer"), run: () => desk.customer.toggle() },
      { heading: t("act.priority") },
      ...priorities(t, (name) => acts.prioritise(name), row.priority),
    ],
  });
}
