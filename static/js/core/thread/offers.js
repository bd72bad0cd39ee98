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
