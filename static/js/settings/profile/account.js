// Name, language and time zone, and how one's picture looks for the others.

import { html } from "lit-html";

import { zones } from "../../browser.js";
import { allZones, offsetText, todaysName } from "../../core/hours/zones.js";
import { LOCALES, languageName } from "../../core/i18n.js";
import { initial } from "../../core/initials.js";
import { shown } from "../../core/shown.js";
import { isZone } from "../../core/zone.js";
import { hueStep } from "../../ui/elements/avatar.js";
import { API, card, given } from "./card.js";

const NAME_MAX = 128;

export function accountCard(page, profile) {
  const { http, t } = page;
  const own = card("account", t("profile.account"), page);
  let current = profile;

  function paint(name = current.name) {
    own.show(html`<div class="profile-head">
        <span class="avatar" data-hue=${hueStep(`admin/${current.id}`)} aria-hidden="true"
          ><span class="avatar-letter">${initial(name)}</span></span>
        <p><b><bdi translate="no">${shown(name)}</bdi></b><br>${current.email} · ${t(`profile.role.${current.role}`)}</p></div>
      <form class="settings-form" @submit=${save}>
        <label class="profile-field"><span>${t("profile.name")}</span> <input name="name" required
          maxlength=${NAME_MAX} autocomplete="name" .value=${current.name}
          @input=${({ target }) => paint(target.value)}></label>
        <label class="profile-field"><span>${t("profile.language")}</span> <select name="locale">${
          LOCALES.map((locale) => html`<option value=${locale} lang=${locale}
            ?selected=${locale === current.locale}>${languageName(locale)}</option>`)}</select></label>
        <label class="profile-field"><span>${t("profile.timezone")}</span> <select name="timezone">
          <option value="">${t("profile.timezone.browser", { zone: todaysName(zones().find((zone) => zone && isZone(zone)) ?? "UTC") })}</option>
          ${offered(current.timezone).map((zone) => html`<option value=${zone}
            ?selected=${zone === current.timezone}>${zone.replaceAll("_", " ")} · ${offsetText(zone, Date.now())}</option>`)
        }</select></label>
        <button class="button button-accent" type="submit">${t("profile.save")}</button>
      </form>`);
  }

  function save(event) {
    const { name, locale, timezone } = given(event);
    own.run(async () => {
      const { locale: before } = current;
      current = await http.put(API, { name, locale, timezone: timezone || null });
      if (current.locale !== before) location.reload();
      paint();
      own.say(t("profile.saved"));
    });
  }

  paint();
}

// The chosen one may be none that the browser knows, or have another name there.
function offered(chosen) {
  const all = allZones();
  return chosen && !all.includes(chosen) ? [chosen, ...all] : all;
}
