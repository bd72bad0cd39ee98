// Drives the page's handling of queries from another program: JSON lines in, one JSON line out for each.
//
//   {"op": "fields", "fields": {name: {"kind", "words"}}}   first of all, as the server declares them
//   {"op": "parts", "text"}                                 the parts of the query
//   {"op": "has_conditions", "text"}
//   {"op": "fold", "texts"}                                 [plain, folded, unmarked] of each
//   {"op": "write", "text", "field", "values", "is_not"}    the text with a term more
//   {"op": "change", "text", "field", "values"}             the text with other values in the first term
//                                                           of the field; null where there is none
//
// Places are in characters (code points).

import { createInterface } from "node:readline";

import { folded, plain, unmarked } from "../../static/js/core/find.js";
import { setFields } from "../../static/js/core/query/fields.js";
import {
  charactersBefore, hasConditions, partsOf, termsOf, withTerm, withValues,
} from "../../static/js/core/query/text.js";

const counted = (text, parts, names) => parts.map((part) => ({
  ...part, ...Object.fromEntries(names.map((name) => [name, charactersBefore(text, part[name])])),
}));

const ops = {
  fields: ({ fields }) => setFields(fields) ?? null,
  parts: ({ text }) => counted(text, partsOf(text), ["start", "end"]),
  has_conditions: ({ text }) => hasConditions(text),
  fold: ({ texts }) => texts.map((text) => [plain(text), folded(text), unmarked(text)]),
  write: ({ text, field, values, is_not: isNot }) => withTerm(text, field, values, isNot),
  change({ text, field, values }) {
    const [term] = termsOf(text, field);
    return term ? withValues(text, term, values) : null;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(ops[question.op](question))}\n`);
}
