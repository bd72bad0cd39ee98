import assert from "node:assert/strict";
import { test } from "node:test";

import { chooseZone } from "../../../static/js/core/time.js";
import { Api } from "../../../static/js/net/api.js";
import { Http, HttpError } from "../../../static/js/net/http.js";

function desk(answer) {
  const asked = [];
  let signedOut = 0;
  const http = new Http({
    signedOut: () => { signedOut += 1; },
    fetch: async (path, options) => {
      asked.push([options.method, path, options.body && JSON.parse(options.body)]);
      return answer();
    },
  });
  return { api: new Api(http), asked, signedOut: () => signedOut };
}

const json = (body, status = 200, headers = {}) => () => new Response(JSON.stringify(body), { status, headers });

test("requests use the paths and bodies of docs/protocol.md", async () => {
  const { api, asked } = desk(json({}));
  await api.rows([1, 2]);
  await api.messages(7, "before", 9);
  await api.archive({ view: "mine", sort: "priority" }, { ids: [7] });
  await api.reply({ threadId: 7, body: "a", private: false, token: "t", seen: 9, confirm: false });
  await api.act(7, "claim");
  await api.close(7, 9);
  await api.bulk([7], "close", { seen: { 7: 9 } });
  await api.prioritise(7, "high");
  assert.deepEqual(asked, [
    ["GET", "/admin/api/threads?ids=1,2", undefined],
    ["GET", "/admin/api/threads/7/messages?before=9&limit=50", undefined],
    ["GET", "/admin/api/archive?view=arrival&sort=priority&filter=mine&ids=7", undefined],
    ["POST", "/admin/api/threads/7/replies", {
      body: "a", private: false, token: "t", seen_message_id: 9, confirm: false,
    }],
    ["POST", "/admin/api/threads/7/claim", {}],
    ["POST", "/admin/api/threads/7/close", { seen_message_id: 9 }],
    ["POST", "/admin/api/threads/bulk", { ids: [7], action: "close", seen: { 7: 9 } }],
    ["PUT", "/admin/api/threads/7/priority", { priority: "high" }],
  ]);
});

test("the days of a search are those of the admin, at every page of its hits", async () => {
  const { api, asked } = desk(json({}));
  chooseZone("Pacific/Kiritimati");
  try {
    await api.search("order created:2026-11-20", 50, null);
    await api.search("order created:2026-11-20", 50, "c1");
    await api.search("order", 50, "c1");
  } finally {
    chooseZone(null);
  }
  const days = { q: "order created:2026-11-20", limit: "50", timezone: "Pacific/Kiritimati" };
  assert.deepEqual(asked.map(([, path]) => Object.fromEntries(new URL(path, "http://a").searchParams)), [
    days, { ...days, cursor: "c1" }, { q: "order", limit: "50", cursor: "c1" },
  ]);
});

test("a problem becomes an error with its code, and what it carries", async () => {
  const { api } = desk(json(
    { code: "already_claimed", detail: "taken", assignee: { name: "Mai" } }, 409, { "Retry-After": "2" },
  ));
  await assert.rejects(api.act(7, "claim"), (error) => error instanceof HttpError
    && error.status === 409 && error.code === "already_claimed" && error.detail === "taken"
    && error.body.assignee.name === "Mai" && error.retryAfterMs === 2000);
});

test("401 tells that the session is over; an unreadable error is an error all the same", async () => {
  const { api, signedOut } = desk(() => new Response("<h1>no</h1>", { status: 401 }));
  await assert.rejects(api.me(), { status: 401, code: null });
  assert.equal(signedOut(), 1);
});

test("no answer at all is status 0", async () => {
  const { api } = desk(() => { throw new TypeError("network"); });
  await assert.rejects(api.me(), { status: 0 });
});
