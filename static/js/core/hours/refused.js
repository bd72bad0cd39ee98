// Where a refusal belongs in a form: the codes by pointer, and the first of some fields that is wrong.

/** @param {any} problem @returns {{pointer: string, code: string}[]} */
export const faultsOf = (problem) => (problem?.errors ?? []).map(({ pointer, code }) => ({
  pointer: pointer ?? "", code: code ?? problem.code,
}));

// The fault of a field, as "/week/mon" for "/week/mon/0/1"; undefined where it has none.
/** @param {{pointer: string, code: string}[]} faults @param {string} field */
export const faultAt = (faults, field) => faults.find(({ pointer }) => (
  pointer === field || pointer.startsWith(`${field}/`)
));

// What is said at a field; the same code means more at some of them.
/** @param {{pointer: string, code: string} | undefined} fault @param {Translate} t */
export function faultText(fault, t) {
  if (!fault) return "";
  const field = /^\/(\w+)/.exec(fault.pointer)?.[1];
  const key = [`${fault.code}.${field}`, fault.code].find((one) => t.named("error", one) !== one);
  return t(key ? `error.${key}` : "error.other");
}

// What stands at none of the fields.
/** @param {{pointer: string, code: string}[]} faults @param {string[]} fields */
export const elsewhere = (faults, fields) => faults.filter(({ pointer }) => (
  !fields.some((field) => pointer === field || pointer.startsWith(`${field}/`))
));
