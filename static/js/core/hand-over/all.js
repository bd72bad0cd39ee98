// All threads of a colleague, dealt to others in turn; and what came of it.

// threads: {id, desk}; receivers: who gets them, in the order in which they are dealt: {id, desks}, with null
// for all desks. Nobody is {id: null, desks: null}. Returns [receiver, thread ids] for each of them, and the ids
// of threads that none of them sees.
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
    // The one who has fewest of those that were dealt so far.
    else hands.get(seeing.reduce((a, b) => (hands.get(b).length < hands.get(a).length ? b : a))).push(id);
  }
  return { hands: [...hands].filter(([, ids]) => ids.length), left };
}

// How many were handed over, how many somebody else took or closed meanwhile, how many were refused; and the
// acts, to be undone.
/** @param {{status: string, act?: number | null, problem?: {code: string}}[]} results */
export function outcome(results) {
  const refused = results.filter(({ status }) => status !== "done");
  const meanwhile = refused.filter(({ problem }) => problem.code === "done_meanwhile").length;
  return {
    done: results.length - refused.length, meanwhile, refused: refused.length - meanwhile,
    acts: results.map(({ act }) => act).filter(Boolean),
  };
}
