// Presence on a row of the list: the dot, colleagues in the thread, somebody writing.

import { initial } from "../core/faces.js";
import { seenText, viewersText } from "./presence-words.js";
import { hueStep } from "./avatar.js";

const FACES_MAX = 3;

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
    this.here.replaceChildren(...others.slice(0, FACES_MAX).map(face), ...more(others));
    this.here.title = viewersText(others, t);
  }
}

// For the label of a row, which is all that is read aloud.
export function presenceLabel(row, { presence, t }) {
  if (!presence) return [];
  return [
    row.customer ? seenText(presence.age("customer", row.customer.id), t) : "",
    presence.isTyping(row.id) ? t("row.typing") : "",
    viewersText(presence.others(row.id), t),
  ];
}

// A colleague, as small as a letter.
export function face({ id, name, mode }) {
  const made = make("face");
  made.dataset.mode = mode;
  made.dataset.hue = hueStep(`admin/${id}`);
  made.textContent = initial(name);
  return made;
}

function more(others) {
  if (others.length <= FACES_MAX) return [];
  const made = make("face face-more");
  made.textContent = `+${others.length - FACES_MAX}`;
  return [made];
}

function make(className) {
  const made = document.createElement("span");
  made.className = className;
  return made;
}
