// Tells zero-cache which ZQL a query of a client stands for.
import {createServer} from 'node:http';
import {mustGetQuery} from '@rocicorp/zero';
import {handleQueryRequest} from '@rocicorp/zero/server';
import {config, queries, schema} from './desk.mjs';

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

const handler = (name, args) => mustGetQuery(queries, name).fn({args, ctx: undefined});

createServer(async (request, response) => {
  const {searchParams: query} = new URL(request.url, 'http://127.0.0.1');
  // The desk's name is its token, too: it is checked nowhere.
  const userID = request.headers.authorization.replace('Bearer ', '');
  const answer = await handleQueryRequest({
    handler, schema, userID, query, body: JSON.parse(await body(request)),
  });
  response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(answer));
}).listen(config.api_port, '127.0.0.1');
