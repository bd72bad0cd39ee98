// Presence on a row of the list: the dot, colleagues in the thread, the customer typing.

import { initial } from "../../core/initials.js";
import { seenText, viewersText } from "./words.js";
import { hueStep } from "../elements/avatar.js";

const VIEWERS_MAX = 3;

export class RowPresence {
  #shown = "";

  constructor(element) {
    this.element = element;
    this.dot = make("dot");
    this.here = make("row-here");
    this.typing = make("row-typing");
    element.querySelector(".avatar").append(this.dot);
    element.querySelector(".row-preview").before(this.typing);
    element.querySelector(".row-wait").before(this.here);
  }

  bind(row, { presence, t }) {
    const dot = row?.customer ? presence.dot("customer", row.customer.id) : "none";
    const others = row ? presence.others(row.id) : [];
    const typing = row ? presence.isTyping(row.id) : false;
    const writing = typing ? t("row.typing") : "";
    const shown = JSON.stringify([dot, others, writing]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.dot.dataset.dot = dot;
    this.typing.textContent = writing;
    this.element.toggleAttribute("data-typing", typing);
    this.here.replaceChildren(...others.slice(0, VIEWERS_MAX).map(smallAvatar), ...more(others));
    this.here.title = viewersText(others, t);
  }
}

// Presence in the label of a row, which is all that screen readers read.
export function presenceLabel(row, { presence, t }) {
  if (!presence) return [];
  return [
    row.customer ? seenText(presence.age("customer", row.customer.id), t) : "",
    presence.isTyping(row.id) ? t("row.typing") : "",
    viewersText(presence.others(row.id), t),
  ];
}

// A colleague: the first letter of the name on a small disc.
export function smallAvatar({ id, name, mode }) {
  const made = make("face");
  made.dataset.mode = mode;
  made.dataset.hue = String(hueStep(`admin/${id}`));
  made.textContent = initial(name);
  return made;
}

function more(others) {
  if (others.length <= VIEWERS_MAX) return [];
  const made = make("face face-more");
  made.textContent = `+${others.length - VIEWERS_MAX}`;
  return [made];
}

function make(className) {
  const made = document.createElement("span");
  made.className = className;
  return made;
}
