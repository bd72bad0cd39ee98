// Scrolls the list along when the open thread moves: never, after the admin's own reply, or always.

import { html } from "lit-html";

const OWN_MS = 10_000; // a move this soon after a reply counts as caused by it

export class Follow {
  #at = null; // {listing, id, index}
  #repliedAt = -Infinity;
  #chip = null; // the place where the thread stands now

  /** @param {FollowParts} parts */
  constructor({ lists, thread, prefs, now, painter, language, showInList }) {
    this.lists = lists;
    this.thread = thread;
    this.prefs = prefs;
    this.now = now;
    this.painter = painter;
    this.language = language;
    this.showInList = showInList;
  }

  replied() { this.#repliedAt = this.now(); }

  dismiss() {
    this.#chip = null;
    this.painter.ask("chip");
  }

  // seen: {first, end} of the rows in view; called after each painting of the list.
  look(seen) {
    const { listing } = this.lists;
    const threadId = this.thread.id;
    const index = threadId === null ? -1 : listing.painted.indexOf(threadId);
    const was = this.#at;
    this.#at = { listing, id: threadId, index };
    const inView = index >= seen.first && index < seen.end;
    if (was?.listing !== listing || was.id !== threadId || (inView && this.#chip !== null)) {
      if (this.#chip !== null) this.dismiss();
      return;
    }
    if (index === was.index) return;
    if (inView) this.dismiss();
    else this.#moved(index);
  }

  render() {
    const { t } = this.language;
    if (this.#chip === null) return "";
    return html`<button type="button" class="button chip" aria-keyshortcuts="."
      @click=${() => this.showInList()}>${t("chip.moved", { rank: this.#chip + 1 })}
      <kbd>.</kbd></button>`;
  }

  // index: -1 if the thread left the list or its loaded part.
  async #moved(index) {
    const { listing, sync } = this.lists.current;
    const threadId = this.thread.id;
    const { follow } = this.prefs.kept;
    const own = this.now() - this.#repliedAt < OWN_MS;
    if (!own && follow !== "always" && this.#chip === null) return;
    if (index < 0 && !await sync.through(threadId)) return;
    if (listing !== this.lists.listing || threadId !== this.thread.id) return;
    if (follow === "always" || (follow === "after_reply" && own)) {
      queueMicrotask(() => this.showInList({ quiet: true }));
      return;
    }
    this.#chip = sync.order.indexOf(threadId);
    this.painter.ask("chip");
  }
}
