// One policy in the list: its place, its name, what it promises to whom; it is moved by drag and by keys.

import { html } from "lit-html";

import { shown } from "../../core/shown.js";
import { ICONS } from "../elements/icons.js";
import { targetsText } from "./words.js";

/** @param {PolicyItemParts} given */
export function policyItem({ policy, at, count, calendar, language, isDragged, edit, drop, move, drag }) {
  const { t } = language;
  const name = shown(policy.name);
  const moving = (key, to, isEnd) => html`<button type="button" class="icon-button policy-${key}" ?disabled=${isEnd}
    aria-label=${`${t(`policies.${key}`)}: ${name}`} title=${t(`policies.${key}`)}
    @click=${(event) => movedBy(event, () => move(to))}>${ICONS[key]}</button>`;
  return html`<li class="policy" data-policy=${policy.id} data-dragged=${isDragged}>
    <span class="policy-handle" aria-hidden="true" title=${t("policies.drag")} @pointerdown=${drag}>⠿</span>
    <button type="button" class="policy-open" aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown" title=${t("policies.open")}
      @click=${edit} @keydown=${(event) => onKey(event, at, move)}><span class="policy-place">${t.number(at + 1)}</span>
      <span class="policy-text"><bdi translate="no" class="policy-name">${name}</bdi>
        <span class="policy-query" dir="auto">${shown(policy.query) || t("query.all")}</span>
        <span class="policy-about">${targetsText(policy, language)} · <bdi translate="no">${shown(calendar?.name ?? "")}</bdi></span></span></button>
    <span class="policy-acts">${moving("up", at - 1, at === 0)}${moving("down", at + 1, at === count - 1)}
      <button type="button" class="icon-button policy-delete" aria-label=${`${t("policies.delete")}: ${name}`}
        title=${t("policies.delete")} @click=${drop}>${ICONS.close}</button></span></li>`;
}

function onKey(event, at, move) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { currentTarget } = event;
  move(at + step);
  currentTarget.focus();
}

// The pressed button goes with its policy and keeps the focus; at an end the other one takes it.
function movedBy(event, run) {
  const button = event.currentTarget;
  run();
  const other = button.matches(".policy-up") ? button.nextElementSibling : button.previousElementSibling;
  (button.disabled ? other : button).focus();
}

// Follows the pointer until it is let go. end(isKept): false where Esc took it back.
/** @param {PointerEvent} event @param {{list: () => Element, move: (to: number) => void, end: (isKept: boolean) => void}} given */
export function followDrag(event, { list, move, end }) {
  if (event.button !== 0) {
    end(true);
    return;
  }
  event.preventDefault();
  const listening = new AbortController();
  const { signal } = listening;
  const stop = (isKept) => {
    listening.abort();
    end(isKept);
  };
  addEventListener("pointermove", ({ clientY }) => {
    const items = [...list().children];
    const to = items.findIndex((item) => clientY < item.getBoundingClientRect().bottom);
    move(to < 0 ? items.length - 1 : to);
  }, { signal });
  addEventListener("pointerup", () => stop(true), { signal });
  addEventListener("pointercancel", () => stop(false), { signal });
  addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    pressed.stopPropagation();
    stop(false);
  }, { signal, capture: true });
}
