import assert from "node:assert/strict";
import { test } from "node:test";

import { isTooLong, leftText, roomFor, roomText } from "../../../static/js/ui/query/view-editor.js";

const t = (key, given = {}) => [key, given.count, given.most].filter((each) => each !== undefined).join(" ");
const LIMITS = { own_views: 200, shared_views: 1000 };
const views = (count, owner = "me") => Array.from({ length: count }, () => ({ owner }));

test("characters are counted near the end as the server counts them", () => {
  assert.equal(leftText("x".repeat(59), 80, t), "");
  assert.equal(leftText("x".repeat(60), 80, t), "composer.left 20");
  assert.equal(leftText(` ${"😀".repeat(79)}  `, 80, t), "composer.left 1", "no blanks around it");
  assert.equal(leftText("x".repeat(82), 80, t), "composer.too_long 2");
  assert.equal(isTooLong("😀".repeat(80), 80), false);
  assert.equal(isTooLong("x".repeat(81), 80), true);
});

test("that there is no room for one more view is said before it is saved", () => {
  const said = (list, owner, was) => roomText(roomFor(list, owner, was, LIMITS), owner, t);
  assert.equal(said(views(189), "me"), "");
  assert.equal(said(views(190), "me"), "view.room.me 190 200");
  assert.equal(said(views(200), "me"), "view.room.me 200 200 view.room.full");
  assert.equal(said(views(200), "all"), "", "they do not count among everybody's");
  assert.equal(said(views(1000, "all"), "all", { owner: "me" }), "view.room.all 1000 1000 view.room.full");
  assert.equal(said(views(200), "me", { owner: "me" }), "", "a change takes no room");
  const shared = [...views(600, "all"), ...views(400, "desk:main"), ...views(5)];
  assert.equal(said(shared, "desk:vip"), "view.room.all 1000 1000 view.room.full", "all that others see");
  assert.equal(said(shared, "desk:vip", { owner: "all" }), "", "it counts among them already");
});
