// The files of the message that is being written, and the button that chooses more.

import { html, nothing } from "lit-html";

import { fileUrl, isShownPicture, sizeText } from "../../core/files/texts.js";
import { shown } from "../../core/shown.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/refusal.js";

/** @param {import("./attaching.js").Attaching} attaching */
export function attachButton(attaching) {
  const { t } = attaching.language;
  return html`<button type="button" class="icon-button composer-attach" aria-label=${t("files.attach")}
      title=${t("files.attach")} @click=${choose}>${ICONS.attach}</button>
    <input type="file" class="composer-files-input" multiple hidden tabindex="-1"
      aria-label=${t("files.attach")}
      @change=${(event) => chosen(event, attaching)}>`;
}

/** @param {import("./attaching.js").Attaching} attaching */
export function chips(attaching) {
  const { items, isDropping, language: { t } } = attaching;
  return html`${isDropping ? html`<p class="composer-drop">${t("files.drop")}</p>` : ""}
    ${items.length ? html`<ul class="files" aria-label=${t("files.title")}>
      ${items.map((item) => chip(item, attaching))}</ul>` : ""}`;
}

const choose = ({ currentTarget }) => currentTarget.nextElementSibling.click();

function chosen({ target }, attaching) {
  attaching.add(target.files);
  // The same file may be chosen again.
  target.value = "";
  attaching.focus();
}

function chip(item, attaching) {
  const { language: { t } } = attaching;
  const { key, state } = item;
  const name = shown(item.name);
  const isWrong = state === "failed" || state === "refused";
  return html`<li class="file" data-state=${state}>
    ${look(item)}
    <span class="file-text"><bdi translate="no" class="file-name" title=${name}>${name}</bdi>
      <span class="file-about" role=${isWrong ? "alert" : nothing}>${about(item, attaching)}</span>
      ${state === "sending" ? html`<progress class="file-progress" max="1" value=${item.part}
        aria-label=${t("files.uploading", { name })}></progress>` : ""}</span>
    ${state === "failed" ? html`<button type="button" class="button file-again"
      @click=${() => attaching.retry(key)}>${t("retry")}</button>` : ""}
    <button type="button" class="icon-button file-remove" aria-label=${t("files.remove", { name })}
      title=${t("files.remove", { name })} @click=${() => attaching.remove(key)}>${ICONS.close}</button>
  </li>`;
}

function look({ state, type, id }) {
  if (state === "done" && isShownPicture(type)) {
    return html`<img class="file-picture" alt="" src=${fileUrl(id)}>`;
  }
  return html`<span class="file-icon">${type.startsWith("image/") ? ICONS.picture : ICONS.file}</span>`;
}

function about({ state, size, problem, name }, { limits, language: { t } }) {
  const values = { name: shown(name), size: sizeText(limits.file_bytes, t.locale), count: limits.message_files };
  if (state === "refused") return t(`files.${problem}`, values);
  if (state === "failed") return refusalOf(problem, t);
  return sizeText(size, t.locale);
}
