// Whether the list goes along when the open thread moves: never, after one's own reply, or always.

import { html } from "lit-html";

const OWN_MS = 10_000; // a move this soon after a reply is taken for its doing

export class Follow {
  #at = null; // {listing, id, index}
  #repliedAt = -Infinity;
  #chip = null; // the place where the thread stands now

  constructor(desk) {
    this.desk = desk;
  }

  replied() { this.#repliedAt = this.desk.now(); }

  dismiss() {
    this.#chip = null;
    this.desk.ask("chip");
  }

  // seen: {first, end} of the rows in view; called after each painting of the list.
  look(seen) {
    const { listing, threadId } = this.desk;
    const index = threadId === null ? -1 : listing.view.indexOf(threadId);
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
    const { t } = this.desk;
    if (this.#chip === null) return "";
    return html`<button type="button" class="button chip" aria-keyshortcuts="."
      @click=${() => this.desk.showInList()}>${t("chip.moved", { rank: this.#chip + 1 })}
      <kbd>.</kbd></button>`;
  }

  // index: -1 where it left what is loaded, or the list.
  async #moved(index) {
    const { listing, threadId, sync } = this.desk;
    const { follow } = this.desk.prefs.kept;
    const own = this.desk.now() - this.#repliedAt < OWN_MS;
    if (!own && follow !== "always" && this.#chip === null) return;
    if (index < 0 && !await sync.through(threadId)) return;
    if (listing !== this.desk.listing || threadId !== this.desk.threadId) return;
    if (follow === "always" || (follow === "after_reply" && own)) {
      queueMicrotask(() => this.desk.showInList({ quiet: true }));
      return;
    }
    this.#chip = sync.order.indexOf(threadId);
    this.desk.ask("chip");
  }
}
