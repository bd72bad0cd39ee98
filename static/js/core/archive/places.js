// The order of all lists: lower scores first; equal scores, lower ids first.

/** @param {number} scoreA @param {number} idA @param {number} scoreB @param {number} idB */
export const before = (scoreA, idA, scoreB, idB) =>
  scoreA < scoreB || (scoreA === scoreB && idA < idB);

// How many of the first `length` entries stand before (score, id).
/** @param {ArrayLike<number>} scores @param {ArrayLike<number>} ids @param {number} length @param {number} score @param {number} id */
export function lowerBound(scores, ids, length, score, id) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(scores[middle], ids[middle], score, id)) low = middle + 1;
    else high = middle;
  }
  return low;
}
