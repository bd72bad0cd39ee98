// Texts about files, and checks of their addresses and types.

import { fileUrl } from "./route.js";

const KIB = 1024;
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @param {string} url */
export const isOwn = (url) => url.startsWith(fileUrl(""));
// Returns an uploaded file as an attachment of a message.
/** @param {{id: string, type: string, name: string}} file @returns {Attachment} */
export const attachmentOf = ({ id, type, name }) => ({ url: fileUrl(id), type, name });
// Whether the page shows the file: the server re-encodes pictures of these types.
/** @param {string | null} type */
export const isShownPicture = (type) => PICTURES.has(type ?? "");

// "3.2 MB"; at least "1 kB".
/** @param {number} bytes @param {string} region */
export function sizeText(bytes, region) {
  const kib = Math.max(1, bytes / KIB);
  const [value, unit] = kib < KIB ? [Math.ceil(kib), "kilobyte"] : [kib / KIB, "megabyte"];
  return new Intl.NumberFormat(region, {
    style: "unit", unit, unitDisplay: "short", maximumFractionDigits: unit === "megabyte" ? 1 : 0,
  }).format(value);
}

// Whether a clipboard holds files and no other text. File managers add the names as text, with or without
// folder and extension; Office and web pages put a picture beside their text, and the text as HTML.
/** @param {Pick<DataTransfer, "types" | "getData"> & {files: Iterable<{name: string}>}} clipboard */
export function isOfFiles(clipboard) {
  if (!clipboard.types.includes("text/plain")) return true;
  if (clipboard.types.includes("text/html")) return false;
  const plain = (name) => name.normalize("NFC").trim();
  const names = new Set([...clipboard.files].map(({ name }) => plain(name))
    .flatMap((name) => [name, name.replace(/\.[^.]*$/, "")]));
  return clipboard.getData("text/plain").split(/[\r\n\0]+/).filter((line) => line.trim())
    .every((line) => names.has(plain(line)) || names.has(plain(nameInPath(line))));
}

// Returns "photo 1.jpg" for "/Users/mai/photo 1.jpg", "C:\\photos\\photo 1.jpg" and "file:///photo%201.jpg".
function nameInPath(line) {
  const name = line.trim().split(/[\\/]/).at(-1);
  try {
    return line.startsWith("file:") ? decodeURIComponent(name) : name;
  } catch {
    return name;
  }
}
