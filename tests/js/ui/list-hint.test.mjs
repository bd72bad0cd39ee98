import assert from "node:assert/strict";
import { test } from "node:test";

import { ListHint } from "../../../static/js/ui/list/hint.js";
import { Clock, pageOf } from "../support.mjs";

function desk(kept = { list_hint: true }) {
  const clock = new Clock();
  const news = new Set();
  const changed = [];
  const page = { hidden: false };
  const hint = new ListHint(pageOf({
    lists: { listing: { news } }, painter: { ask() {} }, timers: clock, hidden: () => page.hidden,
    prefs: { kept, change: (changes) => changed.push(Object.assign(kept, changes)) },
    language: { t: (key, { count, news: said } = {}) => `${key} ${said ?? count ?? ""}` },
  }));
  return { clock, news, changed, page, hint };
}

test("with the first new rows above the list the page explains once why it stands still", async () => {
  const { clock, news, changed, page, hint } = desk();
  hint.look();
  assert.equal(hint.render(), "");
  page.hidden = true;
  news.add(7);
  hint.look();
  assert.equal(hint.render(), "", "nobody would see it");
  page.hidden = false;
  hint.look();
  assert.equal(hint.render().values[0], "hint.held ↑\u00a0header.news\u00a01");
  await clock.turn(20_000);
  assert.equal(hint.render(), "");
  assert.equal(changed.length, 1);
  hint.look();
  assert.equal(hint.render(), "", "it was read");
});

test("the explanation goes with the new rows", () => {
  const { news, changed, hint } = desk();
  news.add(7);
  hint.look();
  news.clear();
  hint.look();
  assert.equal(hint.render(), "");
  assert.deepEqual(changed, [{ list_hint: false }]);
});

test("whoever has read it does not see it again", () => {
  const { news, hint } = desk({ list_hint: false });
  news.add(7);
  hint.look();
  assert.equal(hint.render(), "");
});
