// What the desk asks: the tables, and the queries of lists and badges. Client and server share it.
import {readFileSync} from 'node:fs';
import {
  boolean, createBuilder, createSchema, defineQueries, defineQuery, number, string, table,
} from '@rocicorp/zero';

const HEAD = 100;

const threads = table('threads').columns({
  id: number(),
  customer: string(),
  closed: boolean(),
  answered: boolean(),
  unanswered: boolean(),
  priority: string(),
  member_status: number(),
  waiting_since: number().optional(),
  assignee_id: number().optional(),
  last_role: string(),
  locale: string().optional(),
  source: string(),
  recent_at: number(),
  replies: number(),
  seq: number(),
}).primaryKey('id');
const beacon = table('beacon').columns({id: number(), seq: number()}).primaryKey('id');

export const schema = createSchema({tables: [threads, beacon]});
export const config = JSON.parse(readFileSync(process.env.BENCH_CONFIG, 'utf8'));
const zql = createBuilder(schema);

/** A condition of views.py, by ZQL's own functions. */
function said([kind, ...rest], made) {
  return kind === 'cmp' ? made.cmp(...rest) : made[kind](...rest.map(each => said(each, made)));
}

const threadsOf = view => zql.threads.where(made => said(config.views[view], made));

/** `list`: the newest of a view. `capped`: enough to count up to a hundred. `full`: all. */
export const queries = defineQueries({
  beacon: defineQuery(() => zql.beacon.where('id', 1)),
  list: defineQuery(({args}) => threadsOf(args.view).orderBy('recent_at', 'desc').limit(HEAD)),
  capped: defineQuery(({args}) => threadsOf(args.view).limit(HEAD)),
  full: defineQuery(({args}) => threadsOf(args.view)),
});
