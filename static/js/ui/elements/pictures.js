// Which pictures of customers the page loads: those on hosts that the settings allow. Any other host
// would learn who reads what, and when.

import { html } from "lit-html";

let hosts = new Set();

// hosts: as in addresses, with the port where it is not 443.
/** @param {string[]} names */
export const allowPictures = (names) => { hosts = new Set(names); };

// The address of a picture that may be loaded, or null.
/** @param {string | null | undefined} url */
export function pictureUrl(url) {
  if (!url || !hosts.size || !URL.canParse(url)) return null;
  const { protocol, host, href } = new URL(url);
  return protocol === "https:" && hosts.has(host) ? href : null;
}

// A picture that tells its host nothing but that somebody loads it; nothing where its host is not
// allowed. One that does not load leaves what stands below it, as the letter of an avatar.
/** @param {string | null | undefined} url */
export function picture(url, className, alt = "") {
  const src = pictureUrl(url);
  return src ? html`<img class=${className} alt=${alt} referrerpolicy="no-referrer" loading="lazy"
    decoding="async" src=${src} @error=${failed} @load=${loaded}>` : "";
}

const failed = ({ target }) => { target.hidden = true; };
const loaded = ({ target }) => { target.hidden = false; };
