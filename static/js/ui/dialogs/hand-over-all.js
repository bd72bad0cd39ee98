// Hands over all threads of a colleague: the choice of receivers, the progress, and the result.

import { html } from "lit-html";

import { initial, shown } from "../../core/names.js";
import { receivers } from "../../core/receivers.js";
import { hueStep } from "../elements/avatar.js";
import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";
import { twice } from "../elements/undoing.js";
import { statusText } from "../presence/viewers.js";

const CHUNK = 50; // threads in one request, so that the progress can be shown
const NOBODY = { id: null, name: "", desks: null };

export class HandOverAll extends PageModule {
  #from = null; // the colleague who has the threads
  #held = null; // {threads, total}, once they are loaded
  #members = [];
  #order = []; // the offered receivers, who keep their places
  #chosen = new Set(); // ids of the receivers; null is nobody
  #done = null; // the number of tried threads, while it runs
  #failed = "";
  #asked = false; // whether the admin was told who would have more threads than the capacity

  // from: {id, name}
  /** @param {Person} from */
  async open(from) {
    const { data: { presence }, ui: { dialog, language: { t } } } = this;
    this.#from = from;
    this.#held = null;
    this.#chosen.clear();
    this.#done = null;
    this.#failed = "";
    this.#asked = false;
    dialog.open(
      t("hand.all.title", { name: shown(from.name) }), () => this.#content(),
      () => presence.want("admin", "hand-all", []), () => this.#done === null,
    );
    await this.#load();
  }

  async #load() {
    const { data: { presence }, net: { api }, ui: { dialog, language: { t } } } = this;
    const { id } = this.#from;
    try {
      const [held, { team }] = await Promise.all([api.http.get(`/admin/api/team/${id}/threads`), api.team()]);
      if (this.#from.id !== id) return;
      this.#held = held;
      this.#members = team;
      presence.want("admin", "hand-all", team.map((member) => member.id));
      // The panel of the team, from which this is opened, has asked for their presence already.
      this.#order = this.#found();
    } catch (error) {
      this.#failed = refusalOf(error, t);
    }
    dialog.paint();
  }

  #found() {
    const { admin, presence } = this.data;
    return receivers(this.#members, "", {
      adminId: admin.id, assigneeId: this.#from.id, dot: (id) => presence.dot("admin", id),
    });
  }

  #content() {
    const { language: { t } } = this.ui;
    if (this.#failed) return html`<p role="alert">${this.#failed}</p>`;
    if (!this.#held) return html`<p role="status">${t("loading")}</p>`;
    const { threads } = this.#held;
    if (!threads.length) return html`<p role="status">${t("hand.all.none", { name: shown(this.#from.name) })}</p>`;
    if (this.#done !== null) return this.#progress();
    const { hands, left } = this.#deal();
    const count = threads.length - left.length;
    const over = this.#asked ? this.#overfull(hands) : [];
    return html`<form class="hand-all" @submit=${(event) => this.#submit(event)}>
      <p>${t("hand.all.text", { count: threads.length })}</p>
      <fieldset class="hand-all-list"><legend>${t("hand.title")}</legend>
        ${[NOBODY, ...this.#order].map((member) => this.#option(member, hands))}</fieldset>
      ${left.length && this.#chosen.size ? html`<p role="status">${t("hand.all.left", { count: left.length })}</p>` : ""}
      ${over.length ? html`<p class="hand-all-over" role="alert">${over.map((text) => html`<bdi>${text}</bdi> `)}</p>` : ""}
      <div class="dialog-acts"><button type="submit" class="button button-accent"
        ?disabled=${!this.#chosen.size || !count}>${t(over.length ? "queues.over.anyway" : "hand.all.run", { count: this.#chosen.size ? count : threads.length })}</button></div>
    </form>`;
  }

  #option(member, hands) {
    const { data: { presence, admin }, ui: { queues, language: { t } } } = this;
    const { id } = member;
    const gets = hands.find(([receiver]) => receiver.id === id)?.[1].length;
    const name = id === null ? t("hand.nobody") : id === admin.id ? t("hand.me") : shown(member.name);
    return html`<label class="hand-option">
      <input type="checkbox" .checked=${this.#chosen.has(id)} @change=${() => this.#toggle(id)}>
      ${id === null ? html`<span class="avatar hand-nobody" aria-hidden="true"></span>`
        : html`<span class="avatar" data-hue=${hueStep(`admin/${id}`)} aria-hidden="true"
          ><span class="avatar-letter">${initial(member.name)}</span>
          <span class="dot" data-dot=${presence.dot("admin", id)}></span></span>`}
      <span class="hand-who"><bdi translate="no" class="person-name">${name}</bdi>
        <span class="person-state">${[
          id === null ? "" : statusText(presence, "admin", id, t),
          member.assigned ? t("hand.has", { count: member.assigned }) : "",
          queues.part?.loadOf(member),
          gets ? t("hand.all.gets", { count: gets }) : "",
        ].filter(Boolean).join(" · ")}</span></span></label>`;
  }

  #progress() {
    const { language: { t } } = this.ui;
    const total = this.#held.threads.length;
    const text = t("hand.all.progress", { done: this.#done, total });
    return html`<div class="building"><p role="status">${text}</p>
      <progress class="building-bar" max=${total} .value=${this.#done} aria-label=${text}></progress></div>`;
  }

  // "Nobody" cannot be combined with other receivers.
  #toggle(id) {
    if (this.#chosen.has(id)) this.#chosen.delete(id);
    else {
      if (id === null) this.#chosen.clear();
      else this.#chosen.delete(null);
      this.#chosen.add(id);
    }
    this.#asked = false;
    this.ui.dialog.paint();
  }

  #overfull(hands) { return this.ui.queues.part?.overfull(hands.filter(([{ id }]) => id !== null)) ?? []; }

  #deal() {
    const chosen = [NOBODY, ...this.#members].filter(({ id }) => this.#chosen.has(id));
    return dealt(this.#held.threads, chosen);
  }

  #submit(event) {
    event.preventDefault();
    if (this.#done !== null || !this.#chosen.size) return undefined;
    if (this.#asked || !this.#overfull(this.#deal().hands).length) return this.#run();
    this.#asked = true;
    this.ui.dialog.paint();
    return undefined;
  }

  async #run() {
    const { net: { api }, ui: { dialog, announce, language: { t } } } = this;
    const { id: heldBy } = this.#from;
    const { hands, left } = this.#deal();
    const results = [];
    let problem = "";
    this.#done = 0;
    dialog.paint();
    try {
      for (const [receiver, ids] of hands) {
        for (let from = 0; from < ids.length; from += CHUNK) {
          const given = { admin_id: receiver.id, held_by: heldBy };
          const some = ids.slice(from, from + CHUNK);
          results.push(...(await twice(() => api.bulk(some, "assign", given))).results);
          this.#done = results.length;
          dialog.paint();
        }
      }
    } catch (error) {
      problem = refusalOf(error, t);
    }
    this.#done = null;
    dialog.close();
    const text = this.#said(results, hands, left.length, problem);
    announce(text);
    await this.#offer(text, results);
  }

  async #offer(text, results) {
    const { ui: { toasts }, acts: { acting } } = this;
    const part = await acting.get();
    if (part) part.undoing.offer({ text, acts: outcome(results).acts });
    else toasts.show(text);
  }

  // "37 handed to Ana. 2 were taken or closed meanwhile."
  #said(results, hands, left, problem) {
    const { data: { admin }, ui: { language: { t } } } = this;
    const { done, meanwhile, refused } = outcome(results);
    const tried = hands.reduce((sum, [, ids]) => sum + ids.length, 0);
    const [[only]] = hands;
    const to = hands.length > 1 ? t("hand.all.several", { count: hands.length })
      : only.id === null ? "" : only.id === admin.id ? t("did.you") : shown(only.name);
    const undone = tried - results.length + left + refused;
    return [
      to ? t("hand.all.done", { count: done, name: to }) : t("hand.all.given_back", { count: done }),
      meanwhile ? t("hand.all.meanwhile", { count: meanwhile }) : "",
      problem, undone ? t("hand.all.stay", { count: undone }) : "",
    ].filter(Boolean).join(" ");
  }
}

// Deals all threads of a colleague to others in turn, and sums up the results.

// threads: {id, desk}; receivers, in the order of dealing: {id, desks}, where null means all desks. "Nobody" is
// {id: null, desks: null}. Returns [receiver, thread ids] for each receiver, and the ids of threads that no
// receiver sees.
/**
 * @template {{id: number | null, desks: string[] | null}} T
 * @param {{id: number, desk: string}[]} threads @param {T[]} receivers
 * @returns {{hands: [T, number[]][], left: number[]}}
 */
export function dealt(threads, receivers) {
  const hands = new Map(receivers.map((receiver) => [receiver, []]));
  const left = [];
  for (const { id, desk } of threads) {
    const seeing = receivers.filter(({ desks }) => !desks || desks.includes(desk));
    if (!seeing.length) left.push(id);
    // Chooses the receiver with the fewest dealt threads so far.
    else hands.get(seeing.reduce((a, b) => (hands.get(b).length < hands.get(a).length ? b : a))).push(id);
  }
  return { hands: [...hands].filter(([, ids]) => ids.length), left };
}

// Returns how many threads were handed over, how many somebody else took or closed meanwhile, how many were
// refused; and the acts, so that they can be undone.
/** @param {{status: string, act?: number | null, problem?: {code: string}}[]} results */
export function outcome(results) {
  const refused = results.filter(({ status }) => status !== "done");
  const meanwhile = refused.filter(({ problem }) => problem.code === "done_meanwhile").length;
  return {
    done: results.length - refused.length, meanwhile, refused: refused.length - meanwhile,
    acts: results.map(({ act }) => act).filter(Boolean),
  };
}
