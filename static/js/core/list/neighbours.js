// What stood next to the open thread when it was opened: a reply moves the thread away, and the work
// goes on where it was.

const KEPT = 200; // on each side

export class Neighbours {
  #threadId = null;
  #byListing = new Map(); // listing → {below, above}: ids, the nearest first

  /** @param {NeighboursParts} parts */
  constructor({ lists, thread }) {
    this.lists = lists;
    this.thread = thread;
  }

  // Remembers the neighbours of a thread that has just been opened, or is shown on another list.
  look() {
    const { id } = this.thread;
    const listing = this.lists.current?.listing;
    if (id !== this.#threadId) {
      this.#threadId = id;
      this.#byListing.clear();
    }
    if (id === null || !listing?.ready || this.#byListing.has(listing)) return;
    const index = listing.painted.indexOf(id);
    if (index >= 0) this.#byListing.set(listing, around(listing.painted, index));
  }

  // The nearest one below that is still on the list, else the nearest above, else null.
  /** @param {number} id */
  next(id) { return this.beside(id, 1) ?? this.beside(id, -1); }

  // step: 1 for the nearest one below that is still on the list, -1 above; null if there is none.
  /** @param {number} id @param {number} step */
  beside(id, step) {
    const { listing, listing: { painted } } = this.lists.current;
    const known = id === this.#threadId ? this.#byListing.get(listing) : undefined;
    const ids = known?.[step > 0 ? "below" : "above"] ?? [];
    const stays = (other) => painted.indexOf(other) >= 0 && painted.markOf(other) !== "left";
    return ids.find(stays) ?? null;
  }
}

function around(view, index) {
  const ids = (step) => Array.from({ length: KEPT }, (_, place) => view.idAt(index + step * (place + 1)))
    .filter((id) => id !== undefined);
  return { below: ids(1), above: ids(-1) };
}
