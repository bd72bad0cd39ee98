import assert from "node:assert/strict";
import { test } from "node:test";

import {
  aroundMistake, aroundWord, charactersBefore, hasConditions, hasWords, mistakeOf, partsOf,
  placeOf, termsOf, without, withTerm, withValues,
} from "../../../../static/js/core/query/text.js";
import { seeded } from "../../support.mjs";

const kinds = (text) => partsOf(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

test("a query consists of terms, groups and words", () => {
  assert.deepEqual(kinds('is:open  -lang:vi,ja "not: yet" refund (age:<1d or is:late)'), [
    ["term", "is:open"], ["term", "-lang:vi,ja"], ["word", '"not: yet"'], ["word", "refund"],
    ["group", "(age:<1d or is:late)"],
  ]);
  assert.deepEqual(kinds('source:"my shop, (here)",b x'), [
    ["term", 'source:"my shop, (here)",b'], ["word", "x"],
  ]);
  assert.deepEqual(termsOf('source:"a,b",c', "source")[0].values, ['"a,b"', "c"]);
  assert.deepEqual(termsOf("(lang:vi) -LANG:ja", "lang").map(({ isNot }) => isNot), [true]);
});

test("text that says no condition is words alone, with its parentheses", () => {
  const words = ["order (urgent)", "re: hello", "re:\u200b hello", "https://x.example/a:b", "10:30"];
  for (const text of [...words, '"is:open"', "-y"]) {
    assert.equal(hasConditions(text), false, text);
    assert.ok(hasWords(text), text);
  }
  for (const text of ["is:open", "-asigned:me", "(is:open", "lang:", "-(is:late)"]) {
    assert.ok(hasConditions(text), text);
    assert.equal(hasWords(text), false, text);
  }
  assert.ok(hasWords("refund is:open"));
  assert.equal(hasWords("  "), false);
});

test("a term is written, changed and taken away; the rest stays as it was typed", () => {
  const text = "  IS:open  Lang:vi refund ";
  const [term] = termsOf(text, "lang");
  assert.equal(withValues(text, term, ["vi", "ja"]), "  IS:open  Lang:vi,ja refund ");
  assert.equal(withValues(text, term, []), "  IS:open refund ");
  assert.equal(without("a lang:vi", partsOf("a lang:vi")[1]), "a");
  assert.equal(without("lang:vi  a", partsOf("lang:vi  a")[0]), "a");
  assert.equal(withTerm("", "lang", ["vi"]), "lang:vi");
  assert.equal(withTerm("is:open ", "lang", ["vi"], true), "is:open -lang:vi");
  assert.equal(withTerm('"not arr', "lang", ["vi"]), 'lang:vi "not arr');
  assert.equal(withTerm('"a\\"', "lang", ["vi"]), 'lang:vi "a\\"');
  assert.equal(withTerm("(is:open", "lang", ["vi"]), "lang:vi (is:open");
});

test("whatever is typed is read, whole and in order", () => {
  const { below, one } = seeded(7);
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: below(16) }, () => one([..."is:opena,()\"\\- -😀>1"])).join("");
    let last = 0;
    for (const { start, end } of partsOf(text)) {
      assert.ok(start >= last && end > start && end <= text.length, text);
      assert.equal(text.slice(last, start).trim(), "", text);
      last = end;
    }
    assert.equal(text.slice(last).trim(), "", text);
  }
});

test("the place of a mistake counts characters, not the halves of emoji", () => {
  const text = 'source:"😀😀" asigned:me is:open';
  const at = [...text].join("").indexOf("signed");
  const problem = { code: "invalid_query", at: charactersBefore(text, at), expected: ["assigned:"] };
  assert.equal(placeOf(text, problem.at), at);
  assert.deepEqual(aroundMistake(text, mistakeOf(problem, text)), [
    'source:"😀😀" a', "signed:me", " is:open",
  ]);
  assert.equal(aroundWord("x is:opn,late", mistakeOf({ code: "invalid_query", at: 7 }, "x is:opn,late")), "opn");
  assert.deepEqual(aroundMistake("is:", mistakeOf({ code: "invalid_query", at: 3 }, "is:")), ["is:", "", ""]);
  assert.deepEqual(aroundMistake("a)😀)", mistakeOf({ code: "invalid_query", at: 2 }, "a)😀)"))[1], "😀");
  const nested = { code: "invalid_query", errors: [{ pointer: "/rules/1/when", at: 0, expected: [] }] };
  assert.equal(mistakeOf(nested, "x:y").pointer, "/rules/1/when");
  assert.equal(mistakeOf({ code: "too_long" }, "x"), null);
  assert.equal(mistakeOf(null, "x"), null);
});
