// Where colleagues are in the open thread, by face: at the message that they have read down to, or
// at what they write. It lies over the thread, and moves nothing.

import { face } from "./presence-row.js";
import { viewersText } from "./presence-words.js";

const FACE_PX = 18;
const LANE_PX = 5; // from the edge of the messages
const STACK_PX = 12; // between faces at one place
const SEEN_PX = 20; // so much of a message in view counts as read

export class Cursors {
  #threadId = null;
  #cursors = new Map(); // admin → cursor, in the open thread
  #faces = new Map(); // admin → element

  constructor(desk, page = document) {
    this.desk = desk;
    this.messages = page.getElementById("messages");
    this.pane = this.messages.closest(".pane-thread");
    this.layer = page.createElement("div");
    this.layer.className = "cursors";
    this.layer.ariaHidden = "true"; // the line over the composer says who is here
    this.pane.append(this.layer);
    desk.painter.add("cursors", () => this.#paint());
    const look = () => this.look();
    this.messages.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(this.messages);
    new MutationObserver(look).observe(this.messages, { childList: true, subtree: true });
  }

  // moved: {thread_id, admin_id, cursor}, where something came of it.
  look(moved) {
    if (moved) {
      this.#turnTo(this.desk.threadId);
      if (moved.thread_id === this.#threadId) this.#cursors.set(moved.admin_id, moved.cursor);
    }
    this.desk.ask("cursors");
  }

  #turnTo(threadId) {
    if (threadId === this.#threadId) return;
    this.#threadId = threadId;
    this.#cursors.clear();
  }

  #paint() {
    const { presence, threadId } = this.desk;
    this.#turnTo(threadId);
    const others = presence.others(threadId);
    this.#forget(new Set(others.map(({ id }) => id)));
    if (others.length) this.#read();
    const origin = this.pane.getBoundingClientRect();
    const taken = new Map(); // place → how many faces are there
    for (const one of others) {
      const place = this.#placeOf(this.#cursors.get(one.id));
      const before = taken.get(place?.key) ?? 0;
      taken.set(place?.key, before + 1);
      this.#show(one, place, before, origin);
    }
  }

  // Whoever comes back comes back without a place.
  #forget(here) {
    for (const [id, element] of this.#faces) {
      if (here.has(id)) continue;
      element.remove();
      this.#faces.delete(id);
      this.#cursors.delete(id);
    }
  }

  // What one has read oneself, for the colleagues.
  #read() {
    if (document.visibilityState !== "visible") return;
    const edge = this.messages.getBoundingClientRect().bottom - SEEN_PX;
    const all = [...this.messages.querySelectorAll(".message[data-id]")];
    const last = all.findLast((one) => one.getBoundingClientRect().top <= edge);
    if (last) this.desk.mode.reads(Number(last.dataset.id));
  }

  // {key, x, y, dx, dy}: where the first face goes, and by how much each further one.
  #placeOf(cursor) {
    if (!cursor) return null;
    return cursor.message_id === null ? this.#writing(cursor) : this.#reading(cursor);
  }

  // At the button of what is written: a reply or a note.
  #writing({ field }) {
    const button = this.pane.querySelectorAll(".composer-mode")[field === "note" ? 1 : 0];
    if (!button) return null;
    const { right, top } = button.getBoundingClientRect();
    const half = FACE_PX / 2;
    return { key: field, x: right - half, y: top - half, dx: STACK_PX, dy: 0 };
  }

  // Beside the message; at the edge that it lies behind where it is not in view.
  #reading({ message_id: id }) {
    const { left, top, bottom, height } = this.messages.getBoundingClientRect();
    if (!height) return null;
    const message = this.messages.querySelector(`.message[data-id="${id}"]`);
    const { painted } = this.desk.thread.messages;
    const end = message?.getBoundingClientRect().bottom ?? (id < painted[0]?.id ? top : bottom);
    const y = Math.min(Math.max(end, top + FACE_PX + LANE_PX), bottom - LANE_PX) - FACE_PX;
    return { key: y, x: left + LANE_PX, y, dx: 0, dy: -STACK_PX };
  }

  #show(one, place, before, origin) {
    const shown = this.#faceOf(one);
    shown.hidden = place === null;
    if (!place) return;
    const x = Math.round(place.x + before * place.dx - origin.left);
    const y = Math.round(place.y + before * place.dy - origin.top);
    shown.style.translate = `${x}px ${y}px`;
  }

  #faceOf(one) {
    if (!this.#faces.has(one.id)) {
      const made = face(one);
      this.#faces.set(one.id, made);
      this.layer.append(made);
    }
    const kept = this.#faces.get(one.id);
    kept.dataset.mode = one.mode;
    kept.title = viewersText([one], this.desk.t);
    return kept;
  }
}
