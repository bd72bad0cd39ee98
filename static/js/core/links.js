// Splits a text into plain parts and links (http and https only).

import { shown } from "./shown.js";

const SCHEME = /(?<![A-Za-z0-9])https?:\/\/(?=[^\s/?#])/giu;
// What is in no address, or at least written with percent signs: blanks, controls of lines, quotes,
// brackets of HTML and of Asian scripts, their punctuation, dashes of sentences, ellipses, pictures.
const NEVER = new RegExp("[\\s<>\"`|\\u200b\\u2060\\u201c-\\u201f\\u00ab\\u00bb\\u2014\\u2015\\u2026\\u22ef"
  + "\\u060c\\u061b\\u061f\\u0964\\u0965\\u104a\\u104b\\u17d4\\u17d5\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d"
  + "\\uff00-\\uff65\\uffa0-\\uffef\\p{Extended_Pictographic}]", "u");
// Before the path: also what is in no name of a host.
const NEVER_IN_HOST = /[(){}*^;,!'’]/u;
const TAIL = ".,;:!?'’‘*~^([{–";
const CLOSING = { ")": "(", "]": "[", "}": "{" };
const OPENING = Object.values(CLOSING);
// Scripts that are written without blanks around what is of another script, or take particles.
const RUN_ON = /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const SEPARATORS = "/?#=&_-+@";
// What goes on with the sentence behind a slash; titles in a wiki may begin with it.
const GOES_ON = new RegExp("^(?:[でをにへのはがともや]|から|まで|より|です|だ[。\\s]"
  + "|(?:에서|에|으로|로|을|를|은|는|이|가|의|와|과|도|까지|부터|입니다|이에요|예요)(?![\\p{L}\\p{N}])|ครับ|ค่ะ|นะ)", "u");
const OF_WIKI = /\/w(?:iki)?\/$/u;

// [{text, href | null, host | null}, …]; `host`: where the link leads, if its text does not say so.
/** @param {string} text */
export function split(text) {
  const parts = [];
  let end = 0;
  for (const { index, 0: scheme } of text.matchAll(SCHEME)) {
    if (index < end) continue;
    const address = addressIn(text, index, index + scheme.length);
    if (!valid(address)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), href: null, host: null });
    parts.push({ text: address, href: address, host: hidden(address) });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null, host: null });
  return parts;
}

// The address that begins at `start`, as far as a reader takes it for one: up to what is in no address, a
// bracket that closes nothing in it, or a script that goes on with the sentence.
function addressIn(text, start, host) {
  const open = [];
  let end = host;
  let isPath = false;
  let part = ""; // of what the letters since the last separator are: "own" or "run-on"
  for (const one of text.slice(host)) {
    if (NEVER.test(one) || (!isPath && NEVER_IN_HOST.test(one))) break;
    if (CLOSING[one] && open.pop() !== CLOSING[one]) break;
    if (OPENING.includes(one)) open.push(one);
    if (RUN_ON.test(one)) {
      if (part === "own" || (isPath && goesOn(text, start, end))) break;
      part = "run-on";
    } else if (SEPARATORS.includes(one) || (one === "." && part === "run-on")) part = "";
    else if (CLOSING[one] || "*'’".includes(one) || (!part && /[\p{L}\p{N}]/u.test(one))) part = "own";
    isPath ||= "/?#".includes(one);
    end += one.length;
  }
  return trimmed(text.slice(start, end), text[start - 1] === "_" ? `${TAIL}_` : TAIL);
}

function trimmed(address, tail) {
  let end = address.length;
  while (tail.includes(address[end - 1])) end -= 1;
  return address.slice(0, end);
}

function goesOn(text, start, at) {
  return text[at - 1] === "/" && GOES_ON.test(text.slice(at)) && !OF_WIKI.test(text.slice(start, at));
}

function valid(address) {
  try {
    return /^https?:$/.test(new URL(address).protocol);
  } catch {
    return false;
  }
}

// The host of an address that shows another one, or none: a name in front of `@`, letters of other
// scripts or of full width, controls, backslashes. Else null.
function hidden(address) {
  const { protocol, host } = new URL(address);
  const begins = address.toLowerCase().startsWith(`${protocol}//${host}`);
  const goesOnPlain = /^(?::(?:80|443))?(?:[/?#]|$)/u.test(address.slice(`${protocol}//${host}`.length));
  return begins && goesOnPlain && shown(address) === address && !address.includes("\\") ? null : host;
}
