// The header of the open thread: its customer, its state and its actions.

import { html } from "lit-html";

import { claimText, deskOf, dueAtText, wokenText } from "../../core/row-texts.js";
import { age, dueLevel } from "../../core/time.js";
import { avatar, memberText, who } from "../elements/avatar.js";
import { ICONS } from "../elements/icons.js";
import { menu, priorityItems } from "../elements/menu.js";
import { threadDot, threadPresence } from "../presence/viewers.js";

/** @param {Page} page */
export function threadHead(page) {
  const { data: { thread: { id, row }, presence }, ui: { language: { t } } } = page;
  if (id === null) return "";
  return html`
    <button type="button" class="icon-button thread-back" aria-label=${t("thread.back")}
      @click=${() => page.ui.layout.back()}>${ICONS.back}</button>
    ${row ? html`${avatar(row, t, threadDot(row, presence))}
      <div class="thread-who"><div class="thread-line">
        <h2 class="thread-name">${who(row, t)}</h2>${threadPresence(row, presence, t)}</div>
        <span class="thread-facts">${tags(row, page)}${due(row, page)}${facts(row, page)}</span></div>` : html`<div
          class="thread-who"></div>`}
    <div class="thread-acts">${row ? acts(row, page) : ""}</div>`;
}

function due({ due_at: dueAt }, { net: { now }, ui: { language: { t, words } } }) {
  const given = { t, words, now: now() };
  if (!dueAt) return "";
  const level = dueLevel(dueAt, given.now);
  return html`<span class="thread-due" data-level=${level}>${
    level === "late" ? ICONS.unsent : ICONS.sort_next_due} ${dueAtText(dueAt, given)}</span> · `;
}

function tags(row, { ui: { language: { t } } }) {
  if (!row.tags.length) return "";
  return html`<span class="thread-tags" role="group" aria-label=${t("tags")}>${
    row.tags.map((tag) => html`<bdi translate="no" class="tag" title=${tag}>${tag}</bdi>`)}</span>`;
}

function facts(row, { data: { adminId }, net: { now }, ui: { language: { t, words } } }) {
  const told = [
    row.open ? "" : t("thread.closed"),
    row.woken ? wokenText(row.woken, { t, words, now: now(), adminId }) : "",
    row.waiting_since === null ? ""
      : t("row.waiting", { time: words.short(age(row.waiting_since, now()), t("time.now")) }),
    row.customer?.member_status >= 0 ? memberText(row, t) : "",
    withWhom(row, adminId, t),
    deskOf(row) ? t("desk.of", { desk: deskOf(row) }) : "",
    row.source, row.customer?.locale ?? "",
  ];
  return told.filter(Boolean).join(" · ");
}

function withWhom({ assignee }, adminId, t) {
  if (!assignee) return t("filter.unassigned");
  return assignee.id === adminId ? t("thread.assignee.you")
    : t("thread.assignee", { name: assignee.name });
}

/** @param {Row} row @param {Page} page */
function acts(row, page) {
  const { adminId, choices: { priorities } } = page.data;
  const { explain, customer, snooze, handOver, tagPicker, language: { t } } = page.ui;
  const { actions, finish, finder } = page.acts;
  return html`
    ${mayGive(row, page) ? html`<button type="button" class="button act-claim"
      @click=${() => actions.claim()}>${claimText(row, adminId, t)}</button>
    <button type="button" class="button act-hand" aria-haspopup="dialog" aria-keyshortcuts="a"
      aria-label=${t("act.hand")} title=${`${t("act.hand")} (a)`}
      @click=${(event) => handOver.open(event)}>${ICONS.hand}</button>` : ""}
    ${menu({
      id: "priority-menu",
      label: `${t("act.priority")}: ${t(`priority.${row.priority}`)}`,
      className: "button act-priority",
      text: html`${ICONS.sort_priority}<span class="act-word">${t("act.priority")}:</span><span data-priority=${row.priority}>${t(`priority.${row.priority}`)}</span>
        ${ICONS.down}`,
      items: priorityItems(priorities, t, (name) => actions.prioritise(name), row.priority),
    })}
    <button type="button" class="button act-explain" id="explain-button" aria-keyshortcuts="w"
      aria-label=${t("act.explain")} title=${t("act.explain.title")}
      @click=${() => explain.open()}
      >${ICONS.explain}<span class="act-text">${t("act.explain")}</span><kbd>w</kbd></button>
    <button type="button" class="button act-show" aria-keyshortcuts="."
      aria-label=${t("act.show")} title=${t("act.show.title")}
      @click=${() => finder.showInList()}>${ICONS.locate}<span
        class="act-text">${t("act.show")}</span><kbd>.</kbd></button>
    <button type="button" class="button act-customer" aria-keyshortcuts="i"
      aria-pressed=${String(customer.shown)}
      aria-label=${t("customer")} title=${t("customer.toggle")}
      @click=${() => customer.toggle()}
      >${ICONS.mine}</button>
    <button type="button" class="button act-tags" aria-haspopup="dialog" aria-keyshortcuts="l"
      aria-label=${t("tags")} title=${`${t("tags")} (l)`}
      @click=${(event) => tagPicker.open(event)}>${ICONS.tag}</button>
    ${row.open ? html`<button type="button" class="button act-snooze" aria-haspopup="menu"
      aria-keyshortcuts="h" aria-label=${t("act.snooze")} title=${`${t("act.snooze")} (h)`}
      @click=${(event) => snooze.open(event)}>${ICONS.snoozed}</button>` : ""}
    ${more(row, page)}
    <button type="button" class="button act-done" aria-keyshortcuts="e"
      @click=${(event) => isFirst(event) && finish()}
      ><span>${t(row.open ? "act.done" : "act.reopen")}</span><kbd>e</kbd></button>`;
}

// Only supervisors take over or hand over a colleague's thread.
const mayGive = ({ assignee }, { data: { admin } }) => (
  !assignee || assignee.id === admin.id || admin.role === "supervisor"
);

// The second press of a double click is not meant for the next thread.
const isFirst = ({ detail }) => detail < 2;

// The menu of narrow screens, with actions that have no button there.
/** @param {Row} row @param {Page} page */
function more(row, page) {
  const { adminId, choices: { priorities } } = page.data;
  const { explain, customer, snooze, handOver, tagPicker, language: { t } } = page.ui;
  const { actions, finder } = page.acts;
  const given = [
    { text: claimText(row, adminId, t), run: () => actions.claim() },
    { text: t("act.hand"), run: () => handOver.open() },
  ];
  return menu({
    id: "more-menu",
    label: t("act.more"),
    className: "button act-more",
    text: ICONS.more,
    items: [
      ...(mayGive(row, page) ? given : []),
      ...(row.open ? [{ text: t("act.snooze"), run: () => snooze.open() }] : []),
      { text: t("tags"), run: () => tagPicker.open() },
      { text: t("act.show"), run: () => finder.showInList() },
      { text: t("act.explain"), run: () => explain.open() },
      { text: t("customer"), run: () => customer.toggle() },
      { heading: t("act.priority") },
      ...priorityItems(priorities, t, (name) => actions.prioritise(name), row.priority),
    ],
  });
}
