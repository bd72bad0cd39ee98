// Where one is signed in, and ending that.

import { html } from "lit-html";

import { API, card } from "./card.js";

export function sessionsCard(page) {
  const { http, t } = page;
  const own = card("sessions", t("profile.sessions"), page);

  async function load() {
    const { sessions } = await http.get(`${API}/sessions`);
    own.show(html`<p class="profile-about">${t("profile.sessions.about")}</p>
      <ul class="profile-sessions">${sessions.map(item)}</ul>
      <div class="settings-acts">
        <button type="button" class="button" ?disabled=${sessions.length < 2} @click=${() => own.run(() => everywhere(false))}
          >${t("profile.sessions.others")}</button>
        <button type="button" class="button" @click=${() => own.run(() => everywhere(true))}
          >${t("profile.sessions.all")}</button></div>`);
  }

  function item(session) {
    const { id, current, browser, system, address, created_at: began, last_used_at: used } = session;
    const device = deviceText({ browser, system }, t);
    const times = { began: page.time.format(began), used: page.time.format(used) };
    return html`<li class="profile-session" data-id=${id}>
      <div><b>${device}</b>${current ? html` · ${t("profile.session.this")}` : ""}
        <p>${address ? html`<bdi translate="no">${address}</bdi> · ` : ""}${t("profile.session.times", times)}</p></div>
      ${current ? "" : html`<button type="button" class="button" aria-label=${t("profile.session.end.of", { device })}
        @click=${() => own.run(() => end(id))}>${t("profile.session.end")}</button>`}</li>`;
  }

  async function end(id) {
    await http.delete(`${API}/sessions/${id}`);
    await load();
    own.say(t("profile.session.ended"));
  }

  async function everywhere(thisToo) {
    const { ended } = await http.post(`${API}/sign-out-everywhere`, { this_too: thisToo });
    if (thisToo) {
      location.assign("/login");
      return;
    }
    await load();
    own.say(t("profile.sessions.ended", { count: ended }));
  }

  return { load: () => own.run(load) };
}

// "Firefox, Windows", or what is known of it.
/** @param {{browser: string | null, system: string | null}} session @param {Translate} t */
function deviceText({ browser, system }, t) {
  if (browser && system) return t("profile.session.device", { browser, system });
  return browser ?? system ?? t("profile.session.unknown");
}
