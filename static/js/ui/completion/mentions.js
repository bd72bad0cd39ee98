// The list of colleagues above a note, filtered by what follows `@`.

import { html } from "lit-html";

import { initial } from "../../core/initials.js";
import {
  callsNobody, colleagues, insertName, mayCall, meant, sees, typedName,
} from "../../core/mentions/mentions.js";
import { shown } from "../../core/shown.js";
import { hueStep } from "../elements/avatar.js";
import { statusText } from "../presence/words.js";
import { Proposals } from "./proposals.js";

const CACHED_MS = 60_000;

export class MentionCompletion extends Proposals {
  #members = [];
  #fetchedAt = -Infinity;
  #done = ""; // the text up to the name that was inserted last
  #chosen = new Map(); // thread → (id → name)
  #loaded = false; // the team was asked for, and answered or not
  #isKnown = false; // it was answered once
  told = []; // words behind `@` in the note that is shown: it was held because they call nobody

  /** @param {MentionCompletionParts} parts */
  constructor({ api, thread, adminId, presence, now, painter, language }) {
    super({ name: "mention", painter });
    this.api = api;
    this.thread = thread;
    this.adminId = adminId;
    this.presence = presence;
    this.now = now;
    this.language = language;
  }

  get offered() {
    if (this.asked === null) return [];
    return colleagues(this.#members, this.asked, {
      adminId: this.adminId, desk: this.thread.row?.desk ?? "",
      dot: (id) => this.presence.dot("admin", id),
    });
  }

  // The text or the caret of a note changed.
  typed(field) {
    const before = field.value.slice(0, field.selectionStart);
    const isDone = this.#done !== "" && before.startsWith(this.#done)
      && !before.slice(this.#done.length).includes("@");
    const asked = isDone ? null : typedName(before);
    this.ask(asked);
    this.told = this.told.filter((word) => field.value.includes(word));
    if (asked !== null) this.#load();
  }

  // Whether a note has to wait for one more press: `told` says which words of it call nobody. Where it
  // is not known yet who is on the team, again() is called once it is.
  /** @param {string} body @param {() => void} again */
  holds(body, again) {
    if (!mayCall(body)) return false;
    if (!this.#loaded) {
      void this.#load().then(again);
      return true;
    }
    const desk = this.thread.row?.desk ?? "";
    const known = this.#members.filter((member) => member.id === this.adminId || sees(member, desk));
    const words = this.#isKnown ? callsNobody(body, known.map(({ name }) => name)) : [];
    if (words.every((word) => this.told.includes(word))) return false;
    this.told = words;
    this.painter.ask("composer");
    return true;
  }

  close() {
    if (this.asked === null) return;
    super.close();
    this.presence.want("admin", "mention", []);
  }

  // Who is meant by names that several have, as the note of a thread is sent.
  /** @param {number} threadId @param {string} body @returns {number[]} */
  take(threadId, body) {
    const chosen = this.#chosen.get(threadId) ?? new Map();
    this.#chosen.delete(threadId);
    return meant(body, chosen);
  }

  render(field) {
    const { presence, language: { t } } = this;
    if (!this.offered.length) return "";
    return this.choices(field, t("mention.title"), (member) => html`<span class="avatar"
      data-hue=${hueStep(`admin/${member.id}`)} aria-hidden="true"
      ><span class="avatar-letter">${initial(member.name)}</span>
      <span class="dot" data-dot=${presence.dot("admin", member.id)}></span></span>
      <bdi translate="no" class="mention-name">${shown(member.name)}</bdi>
      <span>${statusText(presence, "admin", member.id, t)}</span>`);
  }

  written(member, field) {
    const { text, caret } = insertName(field.value, field.selectionStart, member.name);
    const { id } = this.thread;
    const chosen = this.#chosen.get(id) ?? new Map();
    this.#chosen.set(id, chosen.set(member.id, member.name));
    this.#done = text.slice(0, caret);
    return { text, caret };
  }

  async #load() {
    if (this.now() - this.#fetchedAt >= CACHED_MS) {
      this.#fetchedAt = this.now();
      try {
        this.#members = (await this.api.team()).team;
        this.#isKnown = true;
      } catch {
        this.#fetchedAt = -Infinity; // the next key tries again
      }
      this.#loaded = true;
    }
    if (this.asked === null) return;
    this.presence.want("admin", "mention", this.#members.map(({ id }) => id));
    this.painter.ask("composer");
  }
}
