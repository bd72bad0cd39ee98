// Files for the message in the composer: chosen, dropped on the conversation, or pasted.

import { html, nothing } from "lit-html";

import { isOfFiles, isShownPicture, sizeText } from "../../core/file-texts.js";
import { shown } from "../../core/names.js";
import { fileUrl } from "../../core/route.js";
import { Uploads } from "../../core/uploads.js";
import { ICONS } from "../elements/icons.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false;

export class Attaching extends PageModule {
  #depth = 0; // elements under the pointer into which a file was dragged
  #wasBusy = false;

  // root: the pane on which files may be dropped; the composer sets changed, isPrivate and focus.
  /** @param {Page & { root: HTMLElement }} page */
  constructor({ root, ...page }) {
    super(page);
    this.changed = (/** @type {number} */ _threadId) => {};
    this.isPrivate = () => false;
    this.focus = () => {};
    this.isDropping = false;
    this.uploads = new Uploads({
      send: (threadId, file, more) => this.net.api.upload(threadId, file, more),
      discard: (id) => { this.net.api.discardFile(id).catch(() => {}); },
      kept: (threadId, files) => {
        const isElsewhere = threadId !== this.data.thread.id; // another thread was opened meanwhile
        if (isElsewhere) this.data.drafts.open(threadId);
        this.data.drafts.put(threadId, { ...this.data.drafts.get(threadId), files });
        if (isElsewhere) this.data.drafts.leave(threadId);
      },
      changed: (threadId) => {
        if (threadId === this.data.thread.id) this.#tell(this.ui.announce);
        this.ui.painter.ask("composer");
        this.changed(threadId);
      },
      limits: this.data.limits,
    });
    this.#listen(root);
  }

  get items() {
    const { id } = this.data.thread;
    return id === null ? [] : this.uploads.of(id, this.isPrivate());
  }

  /** @param {Iterable<File>} files */
  add(files) {
    const { id, state } = this.data.thread;
    if (id !== null && state !== "missing") this.uploads.add(id, this.isPrivate(), [...files]);
  }

  // Takes a pasted picture or file; text that comes with a picture of it stays text.
  /** @param {ClipboardEvent} event */
  pasted(event) {
    const { clipboardData } = event;
    if (!clipboardData?.files.length || !isOfFiles(clipboardData)) return;
    event.preventDefault();
    this.add(clipboardData.files);
  }

  /** @param {string} key */
  remove(key) { if (this.data.thread.id !== null) this.uploads.remove(this.data.thread.id, key); }
  /** @param {string} key */
  retry(key) { if (this.data.thread.id !== null) this.uploads.retry(this.data.thread.id, key); }

  // A file dropped elsewhere on the page would replace the page.
  #listen(root) {
    addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = root.contains(event.target) ? "copy" : "none";
    });
    addEventListener("drop", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    root.addEventListener("dragenter", (event) => hasFiles(event) && this.#over(this.#depth + 1));
    root.addEventListener("dragleave", (event) => hasFiles(event) && this.#over(this.#depth - 1));
    root.addEventListener("drop", (event) => {
      this.#over(0);
      if (hasFiles(event)) this.add(event.dataTransfer.files);
    });
  }

  #over(depth) {
    this.#depth = depth;
    if (this.isDropping === depth > 0) return;
    this.isDropping = depth > 0;
    this.ui.painter.ask("composer");
  }

  // Tells a screen reader how many files are uploaded, once none is being sent.
  #tell(announce) {
    const { isBusy, count } = this.uploads.stateOf(this.data.thread.id, this.isPrivate());
    if (this.#wasBusy && !isBusy && count) announce(this.ui.language.t("files.uploaded", { count }));
    this.#wasBusy = isBusy;
  }
}

// The files of the message in the composer, and the button that chooses more.
/** @param {import("./files.js").Attaching} attaching */
export function attachButton(attaching) {
  const { t } = attaching.ui.language;
  return html`<button type="button" class="icon-button composer-attach" aria-label=${t("files.attach")}
      title=${t("files.attach")} @click=${choose}>${ICONS.attach}</button>
    <input type="file" class="composer-files-input" multiple hidden tabindex="-1"
      aria-label=${t("files.attach")}
      @change=${(event) => chosen(event, attaching)}>`;
}

/** @param {import("./files.js").Attaching} attaching */
export function chips(attaching) {
  const { items, isDropping, ui: { language: { t } } } = attaching;
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
  const { t } = attaching.ui.language;
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

function about({ state, size, problem, name }, { data: { limits }, ui: { language: { t } } }) {
  const values = { name: shown(name), size: sizeText(limits.file_bytes, t.locale), count: limits.message_files };
  if (state === "refused") return t(`files.${problem}`, values);
  if (state === "failed") return refusalOf(problem, t);
  return sizeText(size, t.locale);
}
