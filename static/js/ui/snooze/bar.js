// Below the head of a snoozed thread: until when, by whom, what wakes it; to change it and to wake it.

import { html } from "lit-html";

import { snoozedText } from "../../core/snooze/texts.js";
import { ICONS } from "../elements/icons.js";

/** @param {SnoozeBarParts} parts */
export function snoozeBar({ thread: { row }, actions, snooze, adminId, now, language: { t, words } }) {
  if (!row?.snooze) return "";
  const given = { t, words, adminId, now: now() };
  return html`<div class="snooze-bar"><span class="snooze-icon">${ICONS.snoozed}</span>
    <span class="snooze-text" title=${words.whole(row.snooze.until)}>${snoozedText(row.snooze, given)}
      <span class="snooze-wakes">· ${t(`snooze.wakes.${row.snooze.wake}`)}</span></span>
    <button type="button" class="button snooze-change" @click=${() => snooze.open()}
      >${t("snooze.change")}</button>
    <button type="button" class="button snooze-wake" @click=${() => actions.wake()}
      >${t("act.wake")}</button></div>`;
}
