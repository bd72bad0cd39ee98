import assert from "node:assert/strict";
import { test } from "node:test";

import { ProfilePage } from "../../../static/js/settings/profile.js";

const t = Object.assign((key) => key, { number: String });

function pageOf(call) {
  const profile = { id: 1, name: "Mai", email: "mai@example.com", role: "admin", timezone: null, sessions: [] };
  return new ProfilePage({
    area: { paint() {} }, data: { presence: { late: false } }, acts: {},
    net: { api: { http: { get: async () => profile } }, call },
    ui: { language: { t } },
  });
}

/** The switches of what colleagues see: [whether they can be pressed, whether they are on]. */
function switches(page) {
  const seen = page.cards.find(({ id }) => id === "seen");
  const made = [];
  page.switch = ({ on }) => made.push([on !== undefined, on === true]);
  seen.content();
  return made;
}

test("what colleagues see is read again until the connection is there, and never after the page is left", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let asked = 0;
  let connected = false;
  const page = pageOf(async () => {
    asked += 1;
    if (!connected) throw new Error("not connected");
    return { settings: { show_typing: true, show_last_seen: false } };
  });
  await page.begin();
  assert.deepEqual(switches(page), [[false, false], [false, false]]);
  connected = true;
  context.mock.timers.tick(1_000);
  await new Promise(setImmediate);
  assert.deepEqual(switches(page), [[true, true], [true, false]]);
  context.mock.timers.tick(10_000);
  assert.equal(asked, 2);

  connected = false;
  const left = pageOf(async () => { asked += 1; throw new Error("not connected"); });
  await left.begin();
  left.end();
  context.mock.timers.tick(10_000);
  await new Promise(setImmediate);
  assert.equal(asked, 4, "one try that was planned, and no more");
});
