// The header of the open thread: its customer, its state and its actions.

import { html, nothing } from "lit-html";

import { languageName } from "../../core/i18n.js";
import { claimText, deskOf, dueAtText, wokenText } from "../../core/row-texts.js";
import { age, dueLevel, waitLevel } from "../../core/time.js";
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
    ${row ? avatar(row, t, threadDot(row, presence)) : ""}
    <div class="thread-who">${row ? html`<div class="thread-line">
        <h2 class="thread-name">${who(row, t)}</h2>${threadPresence(row, presence, t)}</div>
      <div class="thread-facts" @pointerenter=${addTitle}>${facts(row, page)}${tags(row, page)}</div>` : ""}</div>
    <div class="thread-acts">${row ? acts(row, page) : ""}</div>`;
}

// The browser shows the whole line, which may be cut.
const addTitle = ({ currentTarget: line }) => { line.title = line.textContent.trim(); };

// Line 2: what decides, then where the customer comes from.
function facts(row, { data: { adminId }, net: { now }, ui: { language: { t, words, locale } } }) {
  const given = { t, words, now: now(), adminId };
  const { priority, source, customer } = row;
  const told = [
    row.open ? due(row, given) : t("thread.closed"),
    withWhom(row, adminId, t),
    row.woken ? wokenText(row.woken, given) : "",
    priority === "normal" ? "" : html`<span data-priority=${priority}>${t(`priority.${priority}`)}</span>`,
    customer?.member_status >= 0 ? memberText(row, t) : "",
    deskOf(row) ? t("desk.of", { desk: deskOf(row) }) : "",
    source,
    customer?.locale ? languageName(customer.locale, locale) : "",
  ];
  return told.filter(Boolean).flatMap((text, at) => (at ? [" · ", text] : [text]));
}

// When an answer is due, or how long the customer has waited.
function due({ due_at: dueAt, waiting_since: since }, given) {
  const { t, words, now } = given;
  if (!dueAt && since === null) return "";
  const level = dueAt ? dueLevel(dueAt, now) : waitLevel(since, now);
  return html`<span class=${dueAt ? "thread-due" : "thread-wait"} data-level=${level}>${dueAt
    ? [level === "late" ? ICONS.unsent : ICONS.sort_next_due, " ", dueAtText(dueAt, given)]
    : t("row.waiting", { time: words.short(age(since, now), t("time.now")) })}</span>`;
}

function withWhom({ assignee }, adminId, t) {
  if (!assignee) return t("filter.unassigned");
  return assignee.id === adminId ? t("thread.assignee.you")
    : t("thread.assignee", { name: assignee.name });
}

function tags(row, { ui: { language: { t } } }) {
  if (!row.tags.length) return "";
  return html`<span class="thread-tags" role="group" aria-label=${t("tags")}>${
    row.tags.map((tag) => html`<bdi translate="no" class="tag" title=${tag}>${tag}</bdi>`)}</span>`;
}

/** @param {Row} row @param {Page} page */
function acts(row, page) {
  const { data: { adminId }, ui: { snooze, handOver, picks, language: { t } }, acts: { actions, finish } } = page;
  const given = [
    { name: "claim", text: claimText(row, adminId, t), key: "t", run: () => actions.claim() },
    { name: "hand", text: t("act.hand"), key: "a", popup: "dialog", run: (event) => handOver.open(event, picks.opened) },
  ];
  // What cannot be done keeps its place: a colleague's act moves no button under the pointer.
  return [
    ...given.map((act) => ({ ...act, absent: !mayGive(row, page) })),
    { name: "snooze", text: t("act.snooze"), key: "h", popup: "menu", disabled: !row.open,
      run: (event) => snooze.open(event, picks.opened) },
    // The second press of a double click is not meant for the next thread.
    { name: "done", text: t(row.open ? "act.done" : "act.reopen"), key: "e",
      run: ({ detail }) => detail < 2 && finish() },
  ].map(button).concat(more(row, page));
}

const button = ({ name, text, key, popup, disabled, absent, run }) => html`<button type="button"
  class="button act-${name}" aria-haspopup=${popup ?? nothing} aria-keyshortcuts=${key}
  title="${text} (${key})" ?disabled=${disabled} ?inert=${absent} @click=${run}
  ><span>${text}</span><kbd aria-hidden="true">${key}</kbd></button>`;

// Only supervisors take over or hand over a colleague's thread.
const mayGive = ({ assignee }, { data: { admin } }) => (
  !assignee || assignee.id === admin.id || admin.role === "supervisor"
);

// The menu of all other actions.
/** @param {Row} row @param {Page} page */
function more(row, page) {
  const { data: { choices: { priorities } }, acts: { actions, finder, navigation } } = page;
  const { explain, changes, customer, tagPicker, picks, keymap, threadPane, language: { t } } = page.ui;
  const priority = priorityItems(priorities, t, (name) => actions.prioritise(name), row.priority);
  return menu({
    id: "more-menu",
    label: t("act.more"),
    className: "button act-more",
    text: ICONS.more,
    items: [
      { text: t(navigation.at ? "past.explain" : "act.explain"), key: "w", run: () => explain.open() },
      { text: t("act.show"), key: ".", run: () => finder.showInList() },
      { text: t("customer"), key: "i", toggles: true, checked: customer.shown, run: () => customer.toggle() },
      { text: t("changes"), run: () => changes.open() },
      { text: t("tags"), key: "l", run: () => tagPicker.open(null, picks.opened) },
      { text: t("key.print"), key: keymap.keysOf("print"), run: () => threadPane.part.printout.print() },
      { heading: t("act.priority") },
      ...priority.map((item, at) => ({ ...item, key: keymap.keysOf(`priority:${priorities[at]}`) })),
    ],
  });
}
