import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { verifies } from './verifies.ts';

describe('dispatch', () => {
  let app: TestApp;
  let shop: EmittingApp;

  beforeAll(async () => {
    app = await TestApp.start();
    shop = await EmittingApp.install(app);
  });

  afterAll(() => app.close());

  verifies(
    ['events.dispatch.matched', 'events.dispatch.trigger'],
    'starts a run with the trigger for every subscription that matches',
    async () => {
      const all = await shop.task('all');
      const rush = await shop.task('rush');
      const off = await shop.task('off');
      const allId = await shop.subscribe(all);
      const rushId = await shop.subscribe(rush, { filter: { kind: 'rush', amount: [50, 100] } });
      const offId = await shop.subscribe(off, { enabled: false });
      const payload = { n: 1, kind: 'rush', amount: 40 };
      const { envelopeId, emittedAt } = await shop.emit(payload);
      const envelope = await shop.dispatched(envelopeId);
      expect(envelope).toMatchObject({ status: 'DISPATCHED', status_reason: null, matched_count: 1 });
      expect(envelope.dispatched_at).not.toBeNull();
      expect(envelope.verdicts).toEqual([
        { subscriptionId: allId, taskId: all.id, outcome: 'MATCHED', reason: null },
        {
          ...{ subscriptionId: rushId, taskId: rush.id, outcome: 'FILTER_MISMATCH' },
          reason: 'amount: 40, wanted one of [50,100]',
        },
        {
          ...{ subscriptionId: offId, taskId: off.id, outcome: 'DISABLED' },
          reason: 'The subscription is disabled',
        },
      ]);
      const [run, ...others] = await shop.runs(envelopeId);
      expect(others).toEqual([]);
      expect(run?.task_id).toBe(all.id);
      expect(run?.trigger).toEqual({
        event: 'order.created',
        payload,
        source: 'app',
        id: envelopeId,
        emittedAt,
        spaceId: app.admin.spaceId,
        actorUserId: null,
        causationId: null,
        depth: 0,
      });
    },
  );
});
