// Splits a text into plain parts and links (http and https only).

import { shown } from "./shown.js";

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/giu;
const TAIL = /[.,;:!?)\]}»”’]+$/u;

// [{text, href | null, host | null}, …]; `host`: where the link leads, if its text does not say so.
/** @param {string} text */
export function split(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = match[0].replace(TAIL, "");
    if (!valid(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null, host: null });
    parts.push({ text: address, href: address, host: hidden(address) });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null, host: null });
  return parts;
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
  const goesOn = /^(?::(?:80|443))?(?:[/?#]|$)/u.test(address.slice(`${protocol}//${host}`.length));
  return begins && goesOn && shown(address) === address && !address.includes("\\") ? null : host;
}
