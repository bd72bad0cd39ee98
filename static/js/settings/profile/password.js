// One's own password, which takes the one that there is.

import { html } from "lit-html";

import { account, API, card, given, passwordField } from "./card.js";

export function passwordCard(page, { email }, changed) {
  const { http, t } = page;
  const own = card("password", t("profile.password"), page);

  function save(event) {
    const { current, password } = given(event);
    const form = event.target;
    own.run(async () => {
      await http.post(`${API}/password`, { current, password });
      form.reset();
      own.say(t("profile.password.changed"));
      await changed();
    });
  }

  own.show(html`<p class="profile-about">${t("profile.password.about")}</p>
    <form class="settings-form" @submit=${save}>${account(email)}
      ${passwordField(t("profile.password.current"), "current")}
      ${passwordField(t("profile.password.new"), "password", "new-password")}
      <button class="button button-accent" type="submit">${t("profile.password.change")}</button>
    </form>`);
}
