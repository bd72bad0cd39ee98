// Scrolls the list when the open thread moves: never, after the admin's own reply, or always.

import { html } from "lit-html";

import { rowsChangeIn } from "../../core/time.js";
import { PageModule } from "../elements/page-module.js";

const OWN_MS = 10_000; // a move this soon after a reply counts as caused by it

export class Follow extends PageModule {
  #at = null; // {listing, id, index}
  #repliedAt = -Infinity;
  #chip = null; // the thread's index now, which a button shows; null: no button

  replied() { this.#repliedAt = this.net.now(); }

  dismiss() {
    this.#chip = null;
    this.ui.painter.ask("chip");
  }

  // seen: {first, end} of the rows in view; called after each painting of the list.
  look(seen) {
    const { listing } = this.data.lists;
    const threadId = this.data.thread.id;
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
    const { t } = this.ui.language;
    if (this.#chip === null) return "";
    return html`<button type="button" class="button chip" aria-keyshortcuts="."
      @click=${() => this.acts.finder.showInList()}>${t("chip.moved", { rank: this.#chip + 1 })}
      <kbd>.</kbd></button>`;
  }

  // index: -1 if the thread left the list or its loaded part.
  async #moved(index) {
    const { listing, sync } = this.data.lists.current;
    const threadId = this.data.thread.id;
    const { follow } = this.data.prefs.kept;
    const own = this.net.now() - this.#repliedAt < OWN_MS;
    if (!own && follow !== "always" && this.#chip === null) return;
    if (index < 0 && !await sync.through(threadId)) return;
    if (listing !== this.data.lists.listing || threadId !== this.data.thread.id) return;
    if (follow === "always" || (follow === "after_reply" && own)) {
      queueMicrotask(() => this.acts.finder.showInList({ quiet: true }));
      return;
    }
    this.#chip = sync.order.indexOf(threadId);
    this.ui.painter.ask("chip");
  }
}

// Fetches the row of the open thread now and then if the thread is not on the current list: no frame brings it.
const ASK_MS = 2000;
const ASK_AGAIN_MS = 5000;

export class RowRefresh extends PageModule {
  #seen = null; // the row of the open thread at the last look
  #until = Infinity; // when time alone changes one of its texts
  #askedAt = -Infinity;

  /** @param {Page} page */
  constructor(page) {
    super(page);
    setInterval(() => this.ask(), ASK_AGAIN_MS);
  }

  async ask() {
    const { id } = this.data.thread;
    const current = id === null || this.data.lists.sync.order?.has(id);
    if (current || document.hidden || this.net.connectionState.ended !== null || this.net.now() - this.#askedAt < ASK_MS) return;
    this.#askedAt = this.net.now();
    const answer = await this.net.api.rows([id]).catch(() => ({ rows: [] }));
    for (const row of answer.rows) this.data.rows.put(row);
    this.look();
  }

  // Repaints the parts that show the row if it, or one of its texts about times, has changed. The list calls
  // this at each painting, and paints whenever such a text changes.
  look() {
    const row = this.data.thread.row ?? null;
    const now = this.net.now();
    if (row === this.#seen && now < this.#until) return;
    this.#seen = row;
    this.#until = row ? now + rowsChangeIn([row], now) : Infinity;
    this.ui.painter.ask("thread", "customer");
  }
}
