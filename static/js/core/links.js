// Splits a text into plain parts and web addresses. Only http and https become links.

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/giu;
const TAIL = /[.,;:!?)\]}»”’]+$/u;

// [{text, href | null}, …]
export function split(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = match[0].replace(TAIL, "");
    if (!valid(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

function valid(address) {
  try {
    return /^https?:$/.test(new URL(address).protocol);
  } catch {
    return false;
  }
}
