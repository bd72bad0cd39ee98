// A Botpress integration with the interface `hitl`: the hand-off of a bot becomes a thread of Lineup, which the team answers.

import { Integration, isApiError } from "@botpress/sdk";
import { lineup, Receiver, Sender } from "lineup-client";

const { LINEUP_URL = "http://localhost:5000", LINEUP_KEY = "", LINEUP_SECRET = "", LINEUP_FILE = "botpress.jsonl" } = process.env;
const BODY_MAX = 20_000;
const NAME_MAX = 200;
const RETRY_MS = 5000;
// Members of a message's payload that people read, in their order.
const TEXTS = ["title", "subtitle", "text", "markdown", "imageUrl", "audioUrl", "videoUrl", "fileUrl", "address"];
const MESSAGE_TYPES = ["text", "image", "audio", "video", "file", "bloc"];
// Answers of Botpress that stay the same, however often a call is repeated.
const FINAL = new Set([400, 404, 409, 413, 422]);

const api = lineup(LINEUP_URL, LINEUP_KEY);
const sender = new Sender(api, { file: LINEUP_FILE }).start();
// Not started: events are read while Botpress passes on a webhook, with the client that it hands over.
const receiver = new Receiver(api, LINEUP_SECRET, { file: LINEUP_FILE });
let client;

// The hand-offs of a user are numbered, and each has a thread of its own. The state of the user has the number of the one that is open or
// comes next: so a repeated call finds its thread.
const threadOf = (user, number) => `${user}.${number}`;

function partsOf(thread) {
  const at = thread.lastIndexOf(".");
  return { user: thread.slice(0, at), number: Number(thread.slice(at + 1)) };
}

async function numberOf(botpress, user) {
  const state = { type: "user", id: user, name: "session" };
  const { state: { payload } } = await botpress.getOrSetState({ ...state, payload: { number: 1 } });
  return payload.number;
}

async function isOpen(botpress, thread) {
  const { user, number } = partsOf(thread);
  return await numberOf(botpress, user) === number;
}

function end(botpress, thread) {
  const { user, number } = partsOf(thread);
  return botpress.setState({ type: "user", id: user, name: "session", payload: { number: number + 1 } });
}

const textOf = (payload) => (payload.items?.map((item) => textOf(item.payload ?? item)).join("\n")
  ?? TEXTS.map((name) => payload[name]).filter(Boolean).join("\n")) || JSON.stringify(payload);

// Returns a text as Lineup takes it: without control characters, and not too long.
const clean = (text, most) => text.replace(/[^\P{Cc}\n\t]/gu, "").slice(0, most).toWellFormed();

const say = (message, body) => sender.send({ type: "message", ...message, body: clean(body, BODY_MAX) });

// Actions of the bot

async function createUser({ client, input: { name, pictureUrl, email } }) {
  const person = { name, pictureUrl, tags: email ? { email } : {} };
  const { user } = await (email ? client.getOrCreateUser({ ...person, discriminateByTags: ["email"] }) : client.createUser(person));
  return { userId: user.id };
}

async function startHitl({ client, input }) {
  const { user } = await client.getUser({ id: input.userId });
  const thread = threadOf(user.id, await numberOf(client, user.id));
  const { conversation } = await client.getOrCreateConversation({ channel: "hitl", tags: { id: thread }, discriminateByTags: ["id"] });
  if (!conversation.tags.begun) {
    // Ids and times are the same in a repeated call: Lineup takes each event once.
    const name = clean(user.name ?? "", NAME_MAX).trim() || null;
    const common = { thread, customer: { id: user.id, name }, occurred_at: conversation.createdAt };
    const about = [input.title, input.description].filter(Boolean).join("\n\n");
    if (about) say({ ...common, id: `${thread}:about`, role: "system" }, about);
    for (const [number, { source, payload }] of (input.messageHistory ?? []).entries()) {
      say({ ...common, id: `${thread}:${number}`, role: source.type === "user" ? "client" : "bot" }, textOf(payload));
    }
    sender.send({ type: "thread.handoff", thread, id: `${thread}:handoff`, occurred_at: conversation.createdAt });
    await client.updateConversation({ id: conversation.id, tags: { id: thread, begun: "true" } });
  }
  return { conversationId: conversation.id };
}

async function stopHitl({ client, input }) {
  const { conversation: { tags: { id: thread } } } = await client.getConversation({ id: input.conversationId });
  if (await isOpen(client, thread)) {
    sender.send({ type: "thread.close", thread, id: `${thread}:close` });
    await end(client, thread);
  }
  return {};
}

// Messages of the customer; without a user the bot speaks.
async function onMessage({ conversation, message, payload }) {
  const thread = conversation.tags.id;
  const role = payload.userId ? "client" : "bot";
  say({ thread, customer: { id: partsOf(thread).user }, role, id: message.id, occurred_at: message.createdAt }, textOf(payload));
}

// Acts of the team. A call of Botpress may be repeated after a kill: messages have a tag by which they are there once.

/** Calls work(conversation) if the thread is of Botpress, and failed() if Botpress refuses that for good. */
async function inConversation({ thread, type }, work, failed = () => {}) {
  const { conversations: [conversation] } = await client.listConversations({ tags: { id: thread } });
  if (!conversation) return;
  try {
    await work(conversation);
  } catch (error) {
    if (!isApiError(error) || !FINAL.has(error.code)) throw error;
    console.error(`Botpress refuses ${type} in ${thread}: ${error.message}`);
    failed();
  }
}

async function userOf(admin) {
  const tags = { id: `admin-${admin?.id ?? 0}` };
  const { user } = await client.getOrCreateUser({ name: admin?.name ?? "Team", tags, discriminateByTags: ["id"] });
  return user.id;
}

async function stop(conversation, thread) {
  if (!await isOpen(client, thread)) return;
  const conversationId = conversation.id;
  await client.createEvent({ type: "hitlStopped", conversationId, payload: { conversationId } });
  await end(client, thread);
}

receiver.on("message.created", (event) => {
  const { id, author, body, attachments } = event.data;
  const receipt = (state) => sender.send({ type: "receipt", message_id: id, state });
  return inConversation(event, async (conversation) => {
    const text = [body, ...attachments.map(({ url }) => url)].filter(Boolean).join("\n");
    const message = { conversationId: conversation.id, userId: await userOf(author), type: "text", payload: { text } };
    await client.getOrCreateMessage({ ...message, tags: { id: String(id) }, discriminateByTags: ["id"] });
    receipt("delivered");
  }, () => receipt("failed"));
});

receiver.on("thread.assigned", (event) => inConversation(event, async (conversation) => {
  const ids = { conversationId: conversation.id, userId: await userOf(event.data.assignee) };
  await client.createEvent({ type: "hitlAssigned", ...ids, payload: ids });
}));

receiver.on("thread.closed", (event) => inConversation(event, (conversation) => stop(conversation, event.thread)));

receiver.on("thread.released", (event) => inConversation(event, async (conversation) => {
  const { queue, returned, desk } = event.data;
  if (queue || returned || desk) return; // it waits for another admin
  await stop(conversation, event.thread);
  sender.send({ type: "thread.close", thread: event.thread });
}));

// Botpress passes on the webhooks of Lineup; events are read one after the other. Webhooks come again later and later: so what Botpress
// did not take is tried again without one, too.
let reading = Promise.resolve();
let retry;

function read(given) {
  client = given;
  reading = reading.catch(() => {}).then(async () => {
    while (await receiver.readNext());
  });
  reading.catch((error) => {
    console.error(`Lineup's events: ${error}`);
    clearTimeout(retry);
    retry = setTimeout(read, RETRY_MS, given);
  });
  return reading;
}

async function onWebhook({ req, client: given }) {
  const status = await receiver.take(req.headers, req.body ?? "");
  if (status !== 204) return { status };
  return read(given).then(() => ({ status }), () => ({ status: 503 }));
}

export default new Integration({
  register: async () => {},
  unregister: async () => {},
  handler: onWebhook,
  actions: { createUser, startHitl, stopHitl },
  channels: { hitl: { messages: Object.fromEntries(MESSAGE_TYPES.map((type) => [type, onMessage])) } },
});
