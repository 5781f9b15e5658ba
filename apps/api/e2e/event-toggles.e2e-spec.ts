import { jest } from '@jest/globals';
import type { InstalledApplication, Subscription, Task } from '@platform/contracts';
import { repeat } from './faults/background.ts';
import { LIMIT_MS, scaled } from './faults/scale.ts';
import { post } from './faults/world.ts';
import { TestApp } from './harness/app.ts';
import { dispatchWaiting } from './harness/dispatch-waiting.ts';
import { asApplication } from './harness/applications.ts';
import { gate } from './harness/gate.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

const EVENT = 'order.created';

/** Both serve only: the test dispatches in each of them, and nothing runs. */
let apps: TestApp[];

beforeAll(async () => {
  const env = {
    PLATFORM_ROLE: 'api',
    PLATFORM_EMISSION_LIMIT: '1000000000',
  };
  const first = await TestApp.start({ env });
  apps = [first, await TestApp.start({ env, database: first })];
});
afterAll(async () => {
  for (const app of apps.reverse()) await app.close();
});

describe('a subscription that is switched', () => {
  verifies(
    'events.dispatch.toggle',
    'F21: once it is disabled, nothing fires any more, however the dispatch of two processes interleaves',
    async () => {
      const [app, other] = apps as [TestApp, TestApp];
      const loops = scaled('FAULT_TOGGLES', { quick: 100, slow: 400, faults: 10_000 });
      const { systemKey } = await post<InstalledApplication>(app, '/api/applications', {
        identifier: 'shop',
        name: 'Shop',
        version: '1.0.0',
        events: [{ name: EVENT, description: 'Created.', payloadSchema: { type: 'object' } }],
      });
      const workflow = { steps: [{ id: 'nothing', kind: 'code', source: 'return 1' }] };
      const task = await post<Task>(app, '/api/tasks', { name: 'Work', type: 'EVENT', workflow });
      const { id } = await post<Subscription>(app, '/api/events/subscriptions', {
        applicationIdentifier: 'shop',
        event: EVENT,
        taskId: task.id,
      });
      const caller = asApplication(app.admin, systemKey);
      let nextDispatch = gate();
      const works = apps.flatMap((one, i) => [
        repeat(
          () =>
            one.request('POST', '/api/events/emit', {
              as: caller,
              body: { appIdentifier: 'shop', event: EVENT, payload: { from: i } },
            }),
          () => 0,
        ),
        repeat(
          async () => {
            if ((await dispatchWaiting(one, 4)) === 0) return;
            nextDispatch.open();
            nextDispatch = gate();
          },
          () => 0,
        ),
      ]);
      const switchTo = async (enabled: boolean, by: TestApp) => {
        const { status, text } = await by.request('PATCH', `/api/events/subscriptions/${id}`, {
          body: { enabled },
        });
        expect([status, text]).toEqual([200, expect.anything()]);
      };
      const now = async () => {
        const [row] = await app.sql<{ at: string }>('select clock_timestamp()::text as at');
        return row?.at ?? '';
      };
      const windows: [string, string][] = [];
      for (let i = 0; i < loops; i++) {
        await switchTo(false, i % 2 === 0 ? app : other);
        const from = await now();
        // Something is dispatched before it is enabled again.
        await nextDispatch.opened;
        windows.push([from, await now()]);
        await switchTo(true, app);
      }
      await Promise.all(works.map((work) => work.stop()));

      const fired = await app.sql(
        `select d.* from delivery d
         join unnest($1::timestamptz[], $2::timestamptz[]) as w(from_at, to_at)
           on d.created_at between w.from_at and w.to_at`,
        [windows.map(([from]) => from), windows.map(([, to]) => to)],
      );
      expect(fired).toEqual([]);
      const [counts] = await app.sql<{ fired: number; silent: number }>(
        `select count(*) filter (where matched_count = 1)::int as fired,
           count(*) filter (where matched_count = 0)::int as silent from envelope where status = 'DISPATCHED'`,
      );
      console.info(`F21: ${loops} loops`, counts);
      // It did fire while it was enabled, and there was something to fire while it was not.
      expect(counts?.fired).toBeGreaterThan(loops / 10);
      expect(counts?.silent).toBeGreaterThanOrEqual(loops);
    },
  );
});
