import pg from 'pg';
import { EventCounterWorker } from '../src/events/summary/event-counter.worker.ts';
import { AgentCalls } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { EventBus } from './harness/event-bus.ts';
import { nodes, type Plan } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

/** Whether partitions are chosen as the plan executes: by the id of another row, not by a parameter. */
function prunesAtRunTime(plan: Plan): boolean {
  return [...nodes(plan)].some(
    ({ 'Relation Name': table, 'Index Cond': condition }) =>
      /^(run|envelope|delivery)_\d{6}$/.test(table ?? '') &&
      /\b(id|envelope_id) (=|>=|<) (?!ANY \(\$|ANY \('|\$\d|')/.test(condition ?? ''),
  );
}

/** What `on conflict` locks is not checked again by the plan that found the row, so it is harmless. */
const LOCKS = /\b((?<!\bdo )update|delete from|for (no key )?update|for share)\b/i;

describe('statements that lock rows', () => {
  verifies('database.row-locks', 'prune no partitions as they execute', async () => {
    const seen = new Map<string, boolean>();
    const prototype = pg.Client.prototype as { query: Query };
    const { query } = prototype;
    prototype.query = function (...args) {
      const [statement] = args as [string | { text?: string; first?: unknown }];
      const text = typeof statement === 'string' ? statement : (statement.text ?? '');
      // What is sent behind settings does not prune: `keptPlanRows`.
      seen.set(text, typeof statement !== 'string' && statement.first !== undefined);
      return query.apply(this, args);
    };
    const app = await TestApp.start();
    try {
      await AgentCalls.make(app);
      const bus = new EventBus(app, app.admin, await installApplication(app));
      const { body } = await bus.emit('order.created', { total: 1 }, { key: 'order' });
      const [run] = await bus.runsOf(body.envelopeId, 1);
      await bus.post(`/api/runs/${run?.id}/cancel`);
      await bus.post(`/api/runs/${run?.id}/retry`);
      await bus.post(`/api/events/envelopes/${body.envelopeId}/replay`);
      await bus.runsOf(body.envelopeId, 2);
      await app.settle();
      // Work that is done from time to time is done now, so that the same statements are looked at each time.
      await app.get(EventCounterWorker).count();
      await app.sweep();
      prototype.query = query;

      const explainer = new pg.Client({ connectionString: app.databaseUrl });
      await explainer.connect();
      await explainer.query('set enable_seqscan = off');
      const locking = [...seen].filter(
        ([text]) => /^\s*(with|select|update|delete|insert)\b/i.test(text) && LOCKS.test(text),
      );
      const pruning: [string, boolean][] = [];
      for (const [text, keepsPlan] of locking) {
        const { rows } = await explainer.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (generic_plan, format json) ${text}`,
        );
        const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
        if (explained && prunesAtRunTime(explained.Plan)) pruning.push([text, keepsPlan]);
      }
      await explainer.end();
      // Claims and ends of runs would.
      expect(pruning.length).toBeGreaterThan(1);
      expect(pruning.filter(([, keepsPlan]) => !keepsPlan).map(([text]) => text)).toEqual([]);
    } finally {
      prototype.query = query;
      await app.close();
    }
  });
});
