// The field of a time zone: all zones, found by typing (the combobox pattern of ARIA APG).

import { html } from "lit-html";

import { folded, matching } from "../../core/find.js";
import { allZones, offsetText, otherNames, todaysName } from "../../core/hours/zones.js";
import { isZone, zoneText } from "../../core/time.js";

const SHOWN_MAX = 60;
const GAP_PX = 4;

export class ZoneField {
  zone; // "" while the text is no zone
  #text;
  #open = false;
  #active = -1;
  #entries = null;

  /** @param {ZoneFieldOptions} options */
  constructor({ zone, language, now, changed, chosen }) {
    this.zone = zone;
    this.#text = zoneText(zone);
    this.language = language;
    this.now = now;
    this.changed = changed; // () → paints
    this.chosen = chosen; // (zone)
  }

  get #input() { return /** @type {HTMLInputElement | null} */ (document.getElementById("zone")); }
  get #list() { return document.getElementById("zone-list"); }

  /** @param {{problem: string}} given */
  content({ problem }) {
    const { t } = this.language;
    const found = this.#open ? this.#found() : [];
    const active = found[this.#active];
    return html`<label class="form-field" for="zone">${t("hours.zone")}
      <input id="zone" name="timezone" role="combobox" autocomplete="off" spellcheck="false" required
        aria-autocomplete="list" aria-controls="zone-list" aria-expanded=${String(this.#open)}
        aria-activedescendant=${active ? `zone-${this.#active}` : ""} aria-invalid=${String(problem !== "")}
        aria-describedby="zone-said" .value=${this.#text}
        @input=${({ target }) => this.#typed(target.value)} @keydown=${(event) => this.#key(event, found)}
        @focus=${({ target }) => target.select()} @click=${() => this.#show(true)} @blur=${() => this.#left()}></label>
      <div class="menu zone-list" id="zone-list" popover="manual" role="listbox" aria-label=${t("hours.zone")}
        @pointerdown=${(event) => event.preventDefault()}>${found.map((one, index) => html`<div
          class="menu-item zone-option" role="option" id=${`zone-${index}`} aria-selected=${String(index === this.#active)}
          @click=${() => this.#take(one.zone)}><span>${one.text}</span><span class="zone-offset">${
            offsetText(one.zone, this.now())}</span></div>`)}</div>`;
  }

  // Shows or hides the list; call it after the result of content() was rendered.
  after() {
    const list = this.#list;
    if (!list) return;
    const shown = this.#open && list.childElementCount > 0 && document.activeElement === this.#input;
    list.togglePopover(shown);
    if (!shown) return;
    const { left, bottom, width } = this.#input.getBoundingClientRect();
    list.style.minWidth = `${Math.min(width, innerWidth - 16)}px`;
    list.style.maxHeight = `${Math.max(96, Math.min(320, innerHeight - bottom - GAP_PX - 8))}px`;
    list.style.left = `${Math.max(8, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
    list.style.top = `${Math.max(8, Math.min(bottom + GAP_PX, innerHeight - list.offsetHeight - 8))}px`;
    list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} zone */
  set(zone) {
    this.zone = zone;
    this.#text = zoneText(zone);
  }

  // Returns all zones, the chosen one first, until something is typed.
  #found() {
    this.#entries ??= allZones().map((zone) => ({ zone, text: zoneText(zone), also: `${zone} ${otherNames(zone)}` }));
    if (this.zone && this.#text === zoneText(this.zone)) {
      const own = this.#entries.filter(({ zone }) => zone === this.zone);
      return [...own, ...this.#entries.filter(({ zone }) => zone !== this.zone)].slice(0, SHOWN_MAX);
    }
    return matching(this.#entries, this.#text.replaceAll("/", " ")).slice(0, SHOWN_MAX);
  }

  #typed(text) {
    this.#text = text;
    this.#active = text.trim() ? 0 : -1;
    this.#open = true;
    this.#set(zoneIn(text));
  }

  #set(zone) {
    const isOther = zone !== this.zone;
    this.zone = zone;
    if (isOther) this.chosen(zone);
    else this.changed();
  }

  #show(open) {
    if (open === this.#open) return;
    this.#open = open;
    this.#active = -1;
    if (!open) this.#list?.togglePopover(false);
    this.changed();
  }

  #take(zone) {
    this.#text = zoneText(zone);
    this.#open = false;
    this.#list?.togglePopover(false);
    this.#set(zone);
  }

  #left() {
    if (this.zone) this.#text = zoneText(this.zone);
    this.#show(false);
  }

  #key(event, found) {
    if (event.isComposing) return;
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step && !this.#open) this.#show(true);
    else if (step) this.#active = (this.#active + 1 + step + found.length + 1) % (found.length + 1) - 1;
    else if (key === "Enter" && this.#open && found[this.#active]) this.#take(found[this.#active].zone);
    else if (key === "Escape" && this.#open) this.#show(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.changed();
  }
}

// Returns the zone that a text names; "" if it names none.
function zoneIn(text) {
  const name = text.trim().replace(/\s+/g, "_");
  const known = allZones().find((zone) => folded(zone) === folded(name));
  return known ?? (/\//.test(name) && isZone(name) ? todaysName(name) : "");
}
