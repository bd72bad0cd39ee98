// A chatbot and a dashboard of types that openapi-typescript made of the two documents: sets
// everything, then changes one thing of each, and prints what there is then. Called with the
// address, the chatbot's key and the admin's cookie.
import createClient from "openapi-fetch";
import type { paths as BotPaths } from "./bot";
import type { paths as DashboardPaths } from "./dashboard";

declare const process: { argv: string[] };
const [, , url, key, cookie] = process.argv;
const bot = createClient<BotPaths>({
  baseUrl: `${url}/api/v1`,
  headers: { Authorization: `Bearer ${key}` },
});
const dashboard = createClient<DashboardPaths>({
  baseUrl: `${url}/admin/api`,
  headers: { Cookie: cookie, Origin: url },
});

/** The answer, or the end of the program where it is a problem. */
function answered<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

type Customer = { id: string; name?: string; member_status?: number; locale?: string; avatar_url?: string };
async function writes(id: string, customer: Customer): Promise<void> {
  const occurred_at = new Date().toISOString();
  const event = { type: "message", thread: "t-ts", role: "client", body: "hello" } as const;
  const defaults = { private: false, attachments: [] };
  answered(await bot.POST("/events", { body: { ...event, ...defaults, id, occurred_at, customer } }));
}

const whole = { name: "Mai", member_status: 2, locale: "vi", avatar_url: "https://cdn.example/a.png" };
await writes("ts-1", { id: "c-ts", ...whole });
await writes("ts-2", { id: "c-ts" });
const row = answered(await bot.GET("/threads/{thread}", { params: { path: { thread: "t-ts" } } }));

const presence = { params: { path: { customer: "c-ts" } } };
const set = { status: "busy", text: "away", visibility: "contacts", show_typing: false } as const;
answered(await bot.PUT("/presence/{customer}", { ...presence, body: { ...set, activity: "calls", show_last_seen: false } }));
const shown = answered(await bot.PUT("/presence/{customer}", { ...presence, body: { text: "back soon" } }));

answered(await dashboard.PATCH("/me/preferences", { body: { theme: "dark", sorts: { arrival: "priority" }, list_width: 333 } }));
const preferences = answered(await dashboard.PATCH("/me/preferences", { body: { sorts: { history: "priority" } } }));

console.log(JSON.stringify({ customer: row.customer, shown, preferences }));
