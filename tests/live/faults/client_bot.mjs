// A chatbot on the SDK for Node, for the tests that kill it. As client_bot.py, but what the team answers is kept as lines of a file,
// each with the id of its event: the last one may be there twice after a kill.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

import { lineup, Receiver, Sender } from "../../../clients/js/src/index.js";

const [url, key, secret, file, port] = process.argv.slice(2);
const client = lineup(url, key);
const sender = new Sender(client, { file, log: () => {} }).start();
const receiver = new Receiver(client, secret, { file, log: () => {} }).start();
receiver.on("message.created", ({ id, thread, data: { body } }) => {
  appendFileSync(`${file}.answers`, `${JSON.stringify([id, thread, body])}\n`);
});

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", url);
  const id = searchParams.get("id");
  if (id === null) return receiver.listener(request, response);
  const thread = pathname.slice(1);
  const body = (await request.toArray()).join("");
  sender.send({ type: "message", thread, customer: { id: `c-${thread}` }, role: "client", body, id });
  return response.writeHead(204).end();
}).listen(Number(port), "127.0.0.1");
