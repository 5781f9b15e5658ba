import type { Step } from '@platform/contracts';
import pg from 'pg';
import { KEPT_PLAN } from '../src/infra/database/connection.ts';
import { STORE_LOGS } from '../src/tasks/execution/run-endings.store.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { RunCalls } from './harness/run-calls.ts';
import { isWhole, nodes, type Plan } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

/** What is not among them is set up by people, and has been analyzed before it is large. */
const GROWS =
  /^(run|run_attempt|run_step|run_wait|run_queue|run_slot|envelope|envelope_outbox|envelope_replay|delivery|stream_frame)(_\d{6})?$/;

const STEPS: Step[] = [
  { id: 'first', kind: 'code', source: 'return 1;' },
  { id: 'pause', kind: 'wait', for: 'PT1S' },
  { id: 'last', kind: 'code', source: 'return 2;' },
];

describe('statements that keep their plan', () => {
  verifies(
    'database.kept-plans',
    'read no table as a whole, also if it was analyzed while it had few rows',
    async () => {
      // Logs are stored only while code executes for long.
      const kept = new Set([STORE_LOGS]);
      const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
      const { query } = prototype;
      prototype.query = function (this: { keepsPlans?: boolean }, ...args: unknown[]) {
        const [statement] = args as [string | { text?: string; first?: unknown }];
        const text = typeof statement === 'string' ? statement : (statement.text ?? '');
        const isKept = this.keepsPlans === true || (typeof statement !== 'string' && 'first' in statement);
        if (isKept && /^\s*(with|select|update|delete|insert)\b/i.test(text)) kept.add(text);
        return query.apply(this, args);
      };
      const app = await TestApp.start();
      try {
        const runs = new RunCalls(app);
        const shop = await EmittingApp.install(app);
        await shop.subscribe(await runs.createTask(STEPS, { type: 'EVENT' }));
        for (let n = 0; n < 3; n++) await shop.emit({ n });
        await runs.reached(await runs.start(await runs.createTask(STEPS)));
        prototype.query = query;

        expect(kept.size).toBeGreaterThan(12);
        expect(await wholeReads(app, kept)).toEqual([]);
        await app.sql('vacuum analyze');
        expect(await wholeReads(app, kept)).toEqual([]);
      } finally {
        prototype.query = query;
        await app.close();
      }
    },
  );
});

async function wholeReads(app: TestApp, statements: Iterable<string>): Promise<string[]> {
  const explainer = new pg.Client({ connectionString: app.databaseUrl });
  await explainer.connect();
  for (const [name, value] of Object.entries(KEPT_PLAN)) await explainer.query(`set ${name} = ${value}`);
  const found: string[] = [];
  for (const text of statements) {
    const { rows } = await explainer.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    for (const node of nodes(rows[0]?.['QUERY PLAN'][0].Plan)) {
      const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index } = node;
      if (isWhole(node) && GROWS.test(table)) found.push(`${type} of ${table} by ${index}: ${text}`);
    }
  }
  await explainer.end();
  return found;
}
