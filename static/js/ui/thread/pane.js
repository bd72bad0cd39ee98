// The pane of the open thread: its head, its messages and the composer.

import { html, render } from "lit-html";

import { Reading } from "../../core/thread/reading.js";
import { SendGuard } from "../../core/thread/send-guard.js";
import { Writers } from "../../core/thread/writers.js";
import { Attaching } from "../files/attaching.js";
import { Found } from "../matches/found.js";
import { isLookedAt } from "../elements/attention.js";
import { MentionCompletion } from "../completion/mentions.js";
import { MentionReader } from "../mentions/reader.js";
import { snoozeBar } from "../snooze/bar.js";
import { Canned } from "../completion/canned.js";
import { Composer } from "./composer.js";
import { MessagesPane } from "./messages.js";
import { Printout } from "./printout.js";
import { Replies } from "./replies.js";
import { threadHead } from "./thread-head.js";

export class ThreadPane {
  // at(id): the element; replied(): the admin sent a reply; parts: also what thread-head.js uses.
  /** @param {ThreadPaneParts} parts */
  constructor(parts) {
    const { at, replied } = parts;
    for (const id of ["thread-head", "thread-snooze", "thread-new", "thread-closed"]) at(id).replaceChildren();
    this.parts = parts;
    this.canned = new Canned(parts);
    this.replies = new Replies({
      ...parts,
      posted: () => {
        replied();
        this.messages.toEnd();
      },
      takenBack: (item) => this.composer.put(item),
      toEnd: () => this.messages.toEnd(),
    });
    const { replies } = this;
    const reading = new Reading(parts);
    this.writers = new Writers(parts);
    const guard = new SendGuard({ reading, writers: this.writers });
    this.found = new Found({ ...parts, root: at("thread-matches"), messages: at("messages") });
    this.messages = new MessagesPane({
      ...parts, root: at("messages"), replies, reading, found: this.found,
      mentions: new MentionReader({ ...parts, looked: isLookedAt }),
    });
    this.printout = new Printout(parts);
    const attaching = new Attaching({ ...parts, root: at("thread-pane") });
    this.composer = new Composer({
      ...parts, root: at("composer"), replies, canned: this.canned, reading, guard, attaching,
      mentions: new MentionCompletion(parts),
    });
  }

  paintHead() {
    const { at } = this.parts;
    render(threadHead(this.parts), at("thread-head"));
    render(snoozeBar(this.parts), at("thread-snooze"));
    this.found.paint();
    render(this.#newMessages(), at("thread-new"));
    render(this.#closed(), at("thread-closed"));
  }

  // Over the composer: what a reply does to a closed thread.
  #closed() {
    const { thread: { id, row, state }, language: { t } } = this.parts;
    if (id === null || state !== "ready" || row?.open !== false) return "";
    return html`<p class="thread-closed">${t("thread.is_closed")}</p>`;
  }

  #newMessages() {
    const { t } = this.parts.language;
    const count = this.messages.unseen;
    if (!count && this.parts.thread.messages.atNewest) return "";
    const text = count ? t("thread.new", { count }) : t("thread.newest");
    return html`<button type="button" class="button button-accent"
      @click=${() => this.messages.toEnd()}>↓ ${text}</button>`;
  }
}
