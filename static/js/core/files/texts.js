// Files in words, and which of them are the dashboard's own.

const OWN = "/admin/api/files/";
const KIB = 1024;
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @param {string} id */
export const fileUrl = (id) => OWN + id;
/** @param {string} url */
export const isOwn = (url) => url.startsWith(OWN);
// An uploaded file as it stands in a message.
/** @param {{id: string, type: string, name: string}} file @returns {Attachment} */
export const attachmentOf = ({ id, type, name }) => ({ url: fileUrl(id), type, name });
// What the server has encoded anew and shows in the page.
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
