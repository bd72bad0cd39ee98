// Shows how far colleagues have read in the open thread, by small avatars beside the messages. The layer
// lies over the messages and does not change the layout; the line over the composer tells who writes.

import { onResize } from "../../browser.js";
import { PageModule } from "../elements/page-module.js";
import { smallAvatar, viewersText } from "./viewers.js";

const AVATAR_PX = 18;
const LANE_PX = 5; // from the lower edge of the messages, and from the messages themselves
const STACK_PX = 12; // between avatars at one place, upwards
const SEEN_PX = 20; // px of a message in view, from which it counts as read

export class Cursors extends PageModule {
  #threadId = null;
  #cursors = new Map(); // admin → cursor, in the open thread
  #avatars = new Map(); // admin → element

  /** @param {Page} page */
  constructor(page) {
    super(page);
    this.messages = document.getElementById("messages");
    this.pane = this.messages.closest(".pane-thread");
    this.layer = document.createElement("div");
    this.layer.className = "cursors";
    this.layer.ariaHidden = "true"; // the line over the composer tells who is here
    this.pane.append(this.layer);
    this.ui.painter.add("cursors", () => this.#paint());
    const look = () => this.look();
    this.messages.addEventListener("scroll", look, { passive: true });
    onResize(this.messages, look);
    new MutationObserver(look).observe(this.messages, { childList: true, subtree: true });
  }

  // moved: a `thread:cursor` event, if one came.
  look(moved) {
    if (moved) {
      this.#turnTo(this.data.thread.id);
      if (moved.thread_id === this.#threadId) this.#cursors.set(moved.admin_id, moved.cursor);
    }
    this.ui.painter.ask("cursors");
  }

  #turnTo(threadId) {
    if (threadId === this.#threadId) return;
    this.#threadId = threadId;
    this.#cursors.clear();
  }

  #paint() {
    const { presence, thread: { id: threadId } } = this.data;
    this.#turnTo(threadId);
    const others = presence.others(threadId);
    this.#forget(new Set(others.map(({ id }) => id)));
    if (others.length) this.#read();
    const origin = this.pane.getBoundingClientRect();
    const taken = new Map(); // place → number of avatars there
    for (const one of others) {
      const place = this.#placeOf(this.#cursors.get(one.id));
      const before = taken.get(place?.y) ?? 0;
      taken.set(place?.y, before + 1);
      this.#show(one, place, before, origin);
    }
  }

  // Removes the avatars of colleagues who left, and their places.
  #forget(here) {
    for (const [id, element] of this.#avatars) {
      if (here.has(id)) continue;
      element.remove();
      this.#avatars.delete(id);
      this.#cursors.delete(id);
    }
  }

  // Reports how far this admin has read.
  #read() {
    if (document.visibilityState !== "visible") return;
    const edge = this.messages.getBoundingClientRect().bottom - SEEN_PX;
    /** @type {NodeListOf<HTMLElement>} */
    const found = this.messages.querySelectorAll(".message[data-id]");
    const all = [...found];
    const last = all.findLast((one) => one.getBoundingClientRect().top <= edge);
    if (last) this.data.mode.reads(Number(last.dataset.id));
  }

  // Returns the place beside the message, or at the edge behind which it is out of view; null for a colleague
  // who writes.
  #placeOf(cursor) {
    const { left, top, bottom, height } = this.messages.getBoundingClientRect();
    const id = cursor?.message_id ?? null;
    if (id === null || !height) return null;
    const message = this.messages.querySelector(`.message[data-id="${id}"]`);
    const { painted } = this.data.thread.messages;
    const end = message?.getBoundingClientRect().bottom ?? (id < painted[0]?.id ? top : bottom);
    const y = Math.min(Math.max(end, top + AVATAR_PX + LANE_PX), bottom - LANE_PX) - AVATAR_PX;
    const start = parseFloat(getComputedStyle(this.messages).paddingInlineStart);
    return { x: left + start - AVATAR_PX - LANE_PX, y };
  }

  #show(one, place, before, origin) {
    const shown = this.#avatarOf(one);
    shown.hidden = place === null;
    if (!place) return;
    const x = Math.round(place.x - origin.left);
    const y = Math.round(place.y - before * STACK_PX - origin.top);
    shown.style.translate = `${x}px ${y}px`;
  }

  #avatarOf(one) {
    if (!this.#avatars.has(one.id)) {
      const made = smallAvatar(one);
      this.#avatars.set(one.id, made);
      this.layer.append(made);
    }
    const kept = this.#avatars.get(one.id);
    kept.dataset.mode = one.mode;
    kept.title = viewersText([one], this.ui.language.t);
    return kept;
  }
}
