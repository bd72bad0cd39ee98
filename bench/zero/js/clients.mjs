// Desks: each is a client of its own, with the list of one view and the badges of all views.
//
// node clients.mjs FIRST COUNT FILE: prints the milliseconds until each desk had all its views,
// as one line of JSON. After a line with a number on its input it waits until all desks have that
// change, writes the states that they went through to FILE, and prints `done`.
import {writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {crc32} from 'node:zlib';
import {Zero} from '@rocicorp/zero';
import {config, queries, schema} from './desk.mjs';

const [first, count, file] = process.argv.slice(2);
const now = () => performance.timeOrigin + performance.now();
const say = message => process.stdout.write(`${JSON.stringify(message)}\n`);

// The kinds of a change that a view gets; the others change a row that stays.
const ADD = 0;
const REMOVE = 1;

/** Counts the rows of a query and keeps none: the least that a badge can cost. */
class Count {
  size = 0;

  constructor(input, complete) {
    this.complete = complete;
    input.setOutput(this);
    for (const node of input.fetch({})) if (node !== 'yield') this.size += 1;
  }

  push(change) {
    if (change[0] === ADD) this.size += 1;
    else if (change[0] === REMOVE) this.size -= 1;
    return [];
  }
}

const counting = (_query, input, _format, _onDestroy, _onCommit, complete) => {
  return new Count(input, Promise.resolve(complete));
};

class Desk {
  states = [];

  constructor(number) {
    this.zero = new Zero({
      schema,
      userID: `desk-${number}`,
      auth: `desk-${number}`,
      cacheURL: config.cache_url,
      kvStore: 'mem',
      logLevel: 'error',
      batchViewUpdates: apply => {
        apply();
        if (this.loaded) this.note();
      },
    });
    const begun = now();
    const views = [...config.views.keys()];
    this.list = this.zero.materialize(queries.list({view: number % views.length}));
    this.beacon = this.zero.materialize(queries.beacon());
    this.badges = views.map(view => (
      this.zero.materialize(queries[config.badges]({view}), counting)
    ));
    this.ready = Promise.all([
      complete(this.list), complete(this.beacon), ...this.badges.map(badge => badge.complete),
    ]).then(() => {
      this.loaded = now() - begun;
      this.note();
      return this.loaded;
    });
  }

  get seq() {
    return this.beacon.data[0].seq;
  }

  /** Keeps what the desk shows now, once for each number: all its views change together. */
  note() {
    if (this.states.at(-1)?.seq === this.seq) return;
    const head = this.list.data.map(row => `${row.id}:${row.seq}`).join(',');
    const counts = this.badges.map(badge => badge.size);
    this.states.push({seq: this.seq, at: now(), counts, head: crc32(head)});
    this.reached?.();
  }

  async until(seq) {
    while (this.seq < seq) await new Promise(resolve => { this.reached = resolve; });
  }
}

const complete = view => new Promise((resolve, reject) => {
  view.addListener((_, type, error) => {
    if (type === 'complete') resolve();
    if (type === 'error') reject(error);
  });
});

const desks = Array.from({length: Number(count)}, (_, at) => new Desk(Number(first) + at));
say(await Promise.all(desks.map(desk => desk.ready)));
for await (const line of createInterface(process.stdin)) {
  await Promise.all(desks.map(desk => desk.until(Number(line))));
  writeFileSync(file, JSON.stringify(desks.map(desk => desk.states)));
  say('done');
}
