// The round letter that stands for a customer; its colours come from css/avatar.css by hue.

import { html, nothing } from "lit-html";

import { languageOf } from "../../core/i18n.js";
import { hue, initial, shown, visitorNumber } from "../../core/names.js";

const STEP = 24; // css/avatar.css has a colour for every 24th degree

/** @param {string} id */
export const hueStep = (id) => Math.round(hue(id) / STEP) % (360 / STEP);

// SOURCE/ID without the source.
/** @param {string} id */
const ownId = (id) => id.slice(id.indexOf("/") + 1);
// A person without a name is distinguished by a number; the panel about them shows the id.
/** @param {string | null | undefined} name @param {string} id @param {Translate} t */
export const calledBy = (name, id, t) => name || t("row.visitor", { number: visitorNumber(ownId(id)) });
/** @param {Row} row @param {Translate} t */
export const nameAsWritten = (row, t) => calledBy(row.customer?.name, avatarId(row), t);
// The author of a message in words.
/** @param {Message} message @param {Row | undefined} row @param {Translate} t */
export function authorName({ role, private: note, author }, row, t) {
  if (note) return t("author.note", { name: author?.name ?? t("author.team") });
  if (role === "client") return author?.name ?? (row ? nameAsWritten(row, t) : t("author.client"));
  return author?.name ?? t(role === "admin" ? "author.team" : `author.${role}`);
}

// The same name with hidden characters made visible.
/** @param {Row} row @param {Translate} t */
export const nameOf = (row, t) => shown(nameAsWritten(row, t));
/** @param {Customer | null} customer */
export const isNamed = (customer) => Boolean(customer?.name);
export const who = (row, t, className = "") => html`<bdi translate="no" class=${className}
  lang=${(isNamed(row.customer) && langOf(row, t)) || nothing}
  ?data-nameless=${!isNamed(row.customer)}>${nameOf(row, t)}</bdi>`;
// Returns the `lang` of the customer's texts, if it is not the page's; else "".
/** @param {Row | null | undefined} row @param {Translate} t */
export const langOf = (row, t) => languageOf(row?.customer?.locale, t.locale).tag;
/** @param {Row} row */
export const avatarId = (row) => row.customer?.id ?? row.thread;

/** @param {Row} row @param {Translate} t */
export function memberText(row, t) {
  const status = row.customer?.member_status ?? -1;
  return status >= 0 ? t("member.tier", { tier: status }) : t("member.none");
}

/** @param {Row} row @param {Translate} t @param {Content} dot */
export function avatar(row, t, dot = "") {
  return html`<span class="avatar" data-hue=${hueStep(avatarId(row))} aria-hidden="true"
    ><span class="avatar-letter">${initial(nameOf(row, t))}</span>${
      picture(row.customer?.avatar_url, "avatar-picture")}${dot}</span>`;
}

// The customers' pictures that the page loads: only from hosts named in the settings. Any other host would
// learn who reads what, and when.

let hosts = new Set();

// hosts: as in URLs, with the port if it is not 443.
/** @param {string[]} names */
export const allowPictures = (names) => { hosts = new Set(names); };

// Returns the address of a picture that may be loaded, or null.
/** @param {string | null | undefined} url */
export function pictureUrl(url) {
  if (!url || !hosts.size || !URL.canParse(url)) return null;
  const { protocol, host, href } = new URL(url);
  return protocol === "https:" && hosts.has(host) ? href : null;
}

// A picture, loaded so that its host learns nothing but the loading; nothing if the host is not allowed. If it
// does not load, the content below it is seen, such as the letter of an avatar.
/** @param {string | null | undefined} url */
export function picture(url, className, alt = "") {
  const src = pictureUrl(url);
  return src ? html`<img class=${className} alt=${alt} referrerpolicy="no-referrer" loading="lazy"
    decoding="async" src=${src} @error=${failed} @load=${loaded}>` : "";
}

const failed = ({ target }) => { target.hidden = true; };
const loaded = ({ target }) => { target.hidden = false; };
