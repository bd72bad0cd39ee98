// Texts of messages with the words that a search found marked.

import { html } from "lit-html";

import { markedParts } from "../../core/thread/matches.js";

// The text begins at `offset` of the message's text; marks in code points of that.
/** @param {string} text @param {number} offset @param {[number, number][]} marks */
export const marked = (text, offset, marks) => (marks.length
  ? markedParts(text, offset, marks).map(({ text: part, marked: isMarked }) => (isMarked
    ? html`<mark>${part}</mark>` : part))
  : text);
