// The customer's page: sends and shows messages, and shows whether the team is online.

import { PresenceClient } from "./presence-client.js";
import { Sender } from "./sender.js";

const READ_MS = 1000;
const TEAM_MS = 10_000;

const at = (id) => document.getElementById(id);
const conversation = localStorage.getItem("conversation") ?? crypto.randomUUID();
localStorage.setItem("conversation", conversation);
// One for each tab: when one is closed, the customer is still at the others.
const device = crypto.randomUUID();

const post = async (path, body) => {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify({ conversation, ...body }) });
  if (!answer.ok) throw Object.assign(new Error(`${path}: ${answer.status}`), { status: answer.status });
};
const get = async (path, query = "") => {
  const answer = await fetch(`${path}?conversation=${conversation}${query}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

let read = 0;
let reading = false;

async function readOn() {
  if (reading) return;
  reading = true;
  try {
    const { messages, typing } = await get("/messages", `&after=${read}`);
    messages.forEach(show);
    at("typing").textContent = typing && !messages.length ? "Somebody is writing…" : "";
    if (messages.length) lookForTeam();
  } catch { /* the next poll reads it */ }
  reading = false;
}

function show({ number, author, body }) {
  read = number;
  const item = document.createElement("li");
  const name = document.createElement("small");
  item.dataset.author = author;
  name.textContent = author;
  item.append(name, body);
  at("messages").append(item);
  item.scrollIntoView({ block: "end" });
}

async function lookForTeam() {
  const { online, assignee } = await get("/team").catch(() => ({ online: false, assignee: null }));
  at("team").textContent = assignee ? `${assignee.name} is looking after you`
    : online ? "We are here" : "We will answer as soon as we are back";
}

const sender = new Sender({
  post: async (message) => {
    try {
      await post("/say", message);
    } catch (error) {
      at("failed").textContent = "Not sent yet. It is sent as soon as that is possible.";
      throw error;
    }
    await readOn();
  },
  changed: () => { if (!sender.unsent.length) at("failed").textContent = ""; },
});

at("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const { body } = event.target.elements;
  if (body.value.trim()) sender.say(body.value);
  body.value = "";
});

const presence = new PresenceClient({
  beat: ({ active }) => post("/beat", { device, active }),
  leave: () => navigator.sendBeacon("/leave", JSON.stringify({ conversation, device })),
});
presence.connect();
window.addEventListener("pagehide", () => presence.disconnect());
window.addEventListener("pageshow", () => presence.connect());

await readOn();
sender.send();
await lookForTeam();
setInterval(readOn, READ_MS);
setInterval(lookForTeam, TEAM_MS);
