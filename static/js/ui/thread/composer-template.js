// What the composer looks like.

import { html, nothing } from "lit-html";

import { ICONS } from "../elements/icons.js";
import { langOf } from "../elements/avatar.js";
import { attachButton, chips } from "../files/chips.js";
import { menu } from "../elements/menu.js";

const SHOW_LEFT_FROM = 1000; // below this many characters left, their number is shown

// after: "stay", "done" or "next"
/** @param {boolean} isPrivate @param {string} after @param {Translate} t */
export function sendText(isPrivate, after, t) {
  const kind = isPrivate ? "note" : "reply";
  return t(after === "stay" ? `composer.send.${kind}` : `composer.send.${kind}.${after}`);
}

/** @param {import("./composer.js").Composer} composer */
export function composerTemplate(composer) {
  const { canned, mentions, prefs, isPrivate, guard, language: { t } } = composer;
  const listed = canned.activeId ? "canned-list" : mentions.activeId ? "mention-list" : "";
  const enter = prefs.kept.send_key === "enter";
  const { length } = [...composer.field?.value ?? ""];
  const kind = isPrivate ? "note" : "reply";
  return html`<form class="composer" ?data-private=${isPrivate}
    ?data-dropping=${composer.attaching.isDropping}
    @submit=${(event) => submit(event, composer)}>
    ${canned.render(() => composer.field)}${mentions.render(() => composer.field)}
    <textarea class="composer-field" rows="2" dir="auto"
      lang=${(!isPrivate && langOf(composer.thread.row, t)) || nothing} aria-keyshortcuts=${isPrivate ? "n" : "r"}
      aria-autocomplete="list" aria-controls=${listed}
      aria-activedescendant=${canned.activeId ?? mentions.activeId ?? ""} @blur=${() => composer.left()}
      aria-label=${t(`composer.${kind}`)} placeholder=${t(`composer.${kind}.hint`)}
      @paste=${(event) => composer.attaching.pasted(event)}
      @input=${() => composer.typed()} @keydown=${(event) => composer.key(event)}></textarea>
    ${chips(composer.attaching)}
    ${isPrivate ? heldNote(mentions.told, t) : held(guard.held, t)}
    ${other(composer)}
    <div class="composer-foot">
      ${mode(composer, false)}${mode(composer, true)}
      <button type="button" class="icon-button composer-canned" aria-label=${t("canned.title")}
        title=${t("canned.button")} aria-expanded=${String(canned.isOpen)}
        @pointerdown=${(event) => event.preventDefault()}
        @click=${() => canned.toggle(composer.field)}>${ICONS.canned}</button>
      ${attachButton(composer.attaching)}
      <span class="composer-state" role=${composer.sending.state ? "alert" : nothing}>${state(composer, length)}</span>
      <button type="submit" class="button button-accent composer-send"
        aria-keyshortcuts=${enter ? "Enter" : "Control+Enter"} @click=${dropSecond}
        >${(isPrivate ? mentions.told.length : guard.held) ? t("sending.anyway") : composer.sendText("stay")}<kbd
        >${enter ? "↵" : "Ctrl ↵"}</kbd></button>
      ${menu({
        id: "send-menu", label: t("composer.send.more"), text: ICONS.down,
        className: "button button-accent composer-more",
        items: [["done", "Ctrl Shift ↵"], ["next", "Ctrl Alt ↵"]].map(([after, key]) => ({
          text: composer.sendText(after), key, run: () => composer.send(after),
        })),
      })}
    </div></form>`;
}

function submit(event, composer) {
  event.preventDefault();
  composer.send();
}

// The second click of a double click is no press of its own.
function dropSecond(event) {
  if (event.detail > 1) event.preventDefault();
}

function mode(composer, isPrivate) {
  const kind = isPrivate ? "note" : "reply";
  return html`<button type="button" class="composer-mode"
    aria-pressed=${String(composer.isPrivate === isPrivate)} aria-keyshortcuts=${isPrivate ? "n" : "r"}
    @click=${() => composer.choose(isPrivate)}>${composer.language.t(`composer.${kind}`)}</button>`;
}

// Why the reply was held, and that one more press sends it.
function held(reasons, t) {
  if (!reasons) return "";
  const told = [
    ...reasons.writers.map(({ name, mode: doing }) => t(`viewer.${doing}`, { name })),
    ...(reasons.unread.length ? [t("composer.held.unread", { count: reasons.unread.length })] : []),
  ];
  return html`<div class="composer-held" role="alert">${told.join(" · ")}
    <span>${t("composer.held")}</span></div>`;
}

// Words behind `@` that call nobody who sees the thread.
function heldNote(words, t) {
  if (!words.length) return "";
  return html`<div class="composer-held" role="alert"><bdi>${t("mention.nobody", { words: words.join(", ") })}</bdi>
    <span>${t("composer.held.note")}</span></div>`;
}

// Another draft of this thread, with a way to it.
function other(composer) {
  const draft = composer.other;
  if (!draft) return "";
  const { t } = composer.language;
  return html`<div class="composer-other" role="status"><span class="composer-other-text"
    >${t("composer.other")} <bdi>${draft.body}</bdi></span><button type="button" class="button"
    @click=${() => composer.goOnWith(draft.key)}>${t("composer.other.show")}</button></div>`;
}

function state({ bodyMax, isSaved, sending, language: { t } }, length) {
  if (sending.state) return t(`files.${sending.state}`);
  if (length > bodyMax) return t("composer.too_long", { count: length - bodyMax });
  if (length > bodyMax - SHOW_LEFT_FROM) return t("composer.left", { count: bodyMax - length });
  return length && isSaved ? t("composer.saved") : "";
}
