/** @type {Record<string, {kind: string, words: string[]}>} the fields of the condition language, by name */
export const FIELDS = {};

// The server declares them (scoring/conditions/fields.py), and writes them into the page.
/** @param {typeof FIELDS} fields */
export const setFields = (fields) => { Object.assign(FIELDS, fields); };
