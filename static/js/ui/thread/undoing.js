// Offers to undo what the admin just did, in a toast and by `z`.

import { html } from "lit-html";

import { refusal, refusalOf } from "../elements/language.js";

const CHUNK = 50; // acts in one request

export class Undoing {
  #offers = new Offers();

  /** @param {UndoingParts} parts */
  constructor({ api, rows, toasts, painter, language, now }) {
    this.api = api;
    this.rows = rows;
    this.toasts = toasts;
    this.painter = painter;
    this.language = language;
    this.now = now;
  }

  // acts: their ids; done() is called after they were undone; actions stand beside Undo.
  /** @param {{text: string, acts: number[], done?: () => void, actions?: ToastAction[]}} given */
  offer({ text, acts, done = () => {}, actions = [] }) {
    if (!acts.length) return this.toasts.show(text, actions);
    const offer = this.#offers.add({ acts, done, toast: 0 }, this.now());
    const undo = {
      text: html`${this.language.t("undo")}<kbd>z</kbd>`,
      keys: "z",
      run: () => void this.#run(this.#offers.take(this.now(), offer)),
    };
    offer.toast = this.toasts.show(text, [...actions, undo], OFFER_MS);
    return offer;
  }

  // Undoes what was done last.
  undo() {
    const offer = this.#offers.take(this.now());
    if (!offer) return this.toasts.show(this.language.t("undo.nothing"));
    this.toasts.drop(offer.toast);
    return this.#run(offer);
  }

  async #run(offer) {
    if (!offer) return;
    const { t } = this.language;
    const results = [];
    try {
      for (let from = 0; from < offer.acts.length; from += CHUNK) {
        results.push(...(await this.api.undo(offer.acts.slice(from, from + CHUNK))).results);
      }
    } catch (error) {
      this.toasts.show(refusalOf(error, t));
    }
    for (const { row } of results) if (row) this.rows.put(row);
    const refused = results.filter(({ status }) => status !== "done");
    const count = results.length - refused.length;
    if (count) offer.done();
    this.#tell(count, refused);
    this.painter.askAll();
  }

  #tell(count, refused) {
    const { t } = this.language;
    const told = count ? [t("undo.done", { count })] : [];
    if (refused.length === 1) told.push(refusal(refused[0].problem, t));
    else if (refused.length) told.push(t("undo.refused", { count: refused.length }));
    if (told.length) this.toasts.show(told.join(" "));
  }
}

// What may be undone: the newest first, each for ten seconds.
export const OFFER_MS = 10_000;

export class Offers {
  #list = [];

  // offer: whatever `take` is to return.
  /** @template T @param {T} offer @param {number} now @returns {T} */
  add(offer, now) {
    this.#list = [...this.#valid(now), { offer, until: now + OFFER_MS }];
    return offer;
  }

  // The newest offer, or this one; null if its time is over or it was taken.
  /** @param {number} now */
  take(now, wanted = null) {
    const valid = this.#valid(now);
    const found = wanted === null ? valid.at(-1) : valid.find(({ offer }) => offer === wanted);
    this.#list = valid.filter((each) => each !== found);
    return found ? found.offer : null;
  }

  #valid(now) { return this.#list.filter(({ until }) => until > now); }
}
