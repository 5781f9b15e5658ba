import { jest } from '@jest/globals';
import { Fleet } from './faults/fleet.ts';
import { outcomeOf } from './faults/ledger.ts';
import { judge } from './faults/referee.ts';
import { LIMIT_MS, scaled, transports } from './faults/scale.ts';
import { eventually } from './harness/eventually.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

// A process that gets no CPU time for a quarter of it loses its runs.
const LEASE_MS = 5_000;
const random = seededRandom();

describe.each(transports('in-process'))('processes that die, %s', (transport) => {
  let fleet: Fleet;

  beforeAll(async () => {
    fleet = await Fleet.start({ transport, processes: 1, env: { PLATFORM_RUN_LEASE_MS: String(LEASE_MS) } });
  });
  afterAll(() => fleet.close());

  verifies(
    'event.guarantee.key',
    'F18: many emissions with one key at once over all processes, one of which dies: one envelope per key',
    async () => {
      const keys = scaled('FAULT_KEYS', { slow: 60, faults: 1_000 });
      const atOnce = scaled('FAULT_SAME_KEY', { slow: 20, faults: 200 });
      const other = await fleet.add();
      const doomed = await fleet.add({
        PLATFORM_FAILPOINTS: `events.emit.before-commit:kill@${3 + random(5)}`,
      });
      const world = await fleet.install('same-key');
      await world.subscribe('all');
      const emitter = fleet.emitter(world);
      for (let i = 0; i < keys; i++) {
        const entry = await fleet.ledger.add({
          application: world.application,
          event: 'order.created',
          key: `key ${i}`,
          payload: world.payload(random),
        });
        const answers = await Promise.all(Array.from({ length: atOnce }, () => emitter.send(entry)));
        for (const answer of answers) await fleet.ledger.answer(entry, answer);
        const accepted = answers.filter(({ status }) => status === 200);
        expect(new Set(accepted.map(({ envelopeId }) => envelopeId)).size).toBe(1);
        // The first may have died after its commit, and so without a response.
        const firsts = accepted.filter(({ duplicate }) => duplicate === false).length;
        expect(firsts).toBe(accepted.length === atOnce ? 1 : Math.min(firsts, 1));
      }
      expect(doomed.hasEnded).toBe(true);
      console.info('F18', await judge(fleet));
      for (const member of [other, doomed]) await fleet.kill(member);
    },
  );

  verifies(
    'event.guarantee.changes',
    'F41: tasks and subscriptions are disabled, deleted, and given to others, and a quota is reached, while a process dies and another is deployed',
    async () => {
      const count = scaled('FAULT_CHANGES', { slow: 600, faults: 5_000 });
      const world = await fleet.install('changed');
      const again = { retry: { onInterrupted: true } };
      const kept = await world.subscribe('kept', again);
      const slow = { ...again, input: { ms: 20 }, concurrency: 3 };
      const [disabled, silenced, deleted] = [
        await world.subscribe('disabled', slow),
        await world.subscribe('silenced', slow),
        await world.subscribe('deleted', slow),
      ];
      const given = await world.subscribe('given', slow);
      const heir = await fleet.app.addUser('ADMIN');
      await fleet.add();
      const first = fleet.ledger.entries.length;
      // Long enough for what happens meanwhile.
      const load = fleet.emitter(world).load({ count, perSecond: count / 15, random });
      const reached = (share: number) =>
        eventually(async () => {
          expect(fleet.ledger.entries.length - first).toBeGreaterThan(share * count);
        }, LIMIT_MS);
      const now = async () => {
        const [row] = await fleet.app.sql<{ at: string }>('select clock_timestamp()::text as at');
        return row?.at ?? '';
      };
      /** Makes a change, and returns a time after it was confirmed. */
      const change = async (method: string, path: string, body?: object) => {
        const { status, text } = await fleet.app.request(method, path, { body });
        if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
        return now();
      };
      const oldest = () => {
        const [member] = fleet.members;
        if (member === undefined) throw new Error('No process runs');
        return member;
      };

      await reached(1 / 8);
      const disabledAt = await change('PATCH', `/api/tasks/${disabled.taskId}`, { enabled: false });
      await reached(2 / 8);
      const subscription = `/api/events/subscriptions/${silenced.subscriptionId}`;
      const silencedAt = await change('PATCH', subscription, { enabled: false });
      const owner = { ownerUserId: heir.userId };
      const givenAt = await change('POST', `/api/tasks/${given.taskId}/owner`, owner);
      await reached(3 / 8);
      const deployed = oldest();
      deployed.signal('SIGTERM');
      expect(await deployed.exit()).toBe(0);
      await fleet.bury(deployed);
      // A process knows the quota for some seconds; the one that is deployed reads it at once.
      await change('PUT', '/api/storage/quotas', { eventBytes: 1, rowBytes: null });
      await fleet.add();
      await eventually(() => {
        const own = fleet.ledger.entries.slice(first);
        expect(own.filter((entry) => outcomeOf(entry) === 'rejected').length).toBeGreaterThan(0);
        return Promise.resolve();
      }, LIMIT_MS);
      await change('PUT', '/api/storage/quotas', { eventBytes: null, rowBytes: null });
      await reached(5 / 8);
      await change('DELETE', `/api/events/subscriptions/${deleted.subscriptionId}`);
      const deletedAt = await change('DELETE', `/api/tasks/${deleted.taskId}`);
      await reached(6 / 8);
      await fleet.kill(oldest());
      await fleet.add();
      for (const entry of await load) entry.isUndecided = true;
      const enabledFrom = await now();
      await change('PATCH', `/api/tasks/${disabled.taskId}`, { enabled: true });
      console.info('F41', await judge(fleet));

      const started = (taskId: string, from: string, to = 'infinity') =>
        fleet.app.sql<{ run_id: string }>(
          `select a.* from run_attempt a join run r on r.id = a.run_id
           where r.task_id = $1 and a.started_at > $2 and a.started_at < $3`,
          [taskId, from, to],
        );
      expect(await started(disabled.taskId, disabledAt, enabledFrom)).toEqual([]);
      // Runs that waited for a deleted task may be ended one by one, but none of them executes.
      const ended = (await started(deleted.taskId, deletedAt)).map(({ run_id: id }) => id);
      const executed = await fleet.sink.effects(deleted.label);
      expect(executed.filter(({ runId }) => ended.includes(runId))).toEqual([]);
      const asFormer = await fleet.app.sql(
        `select a.* from run_attempt a join run r on r.id = a.run_id
         where r.task_id = $1 and a.started_at > $2 and r.owner_user_id <> $3`,
        [given.taskId, givenAt, heir.userId],
      );
      expect(asFormer).toEqual([]);
      const fired = await fleet.app.sql(
        `select * from delivery where subscription_id = $1 and outcome = 'RUN_CREATED' and created_at > $2`,
        [silenced.subscriptionId, silencedAt],
      );
      expect(fired).toEqual([]);
      // Each change came while there was something to stop.
      for (const { label } of [disabled, silenced, deleted, given])
        expect((await fleet.sink.effects(label)).length).toBeGreaterThan(0);
      const sent = fleet.ledger.acknowledged.filter(({ application }) => application === world.application);
      for (const { taskId } of [kept, given]) {
        const done = await fleet.app.sql<{ id: string }>(
          `select envelope_id as id from run where task_id = $1 and status = 'SUCCEEDED'`,
          [taskId],
        );
        expect(done.map(({ id }) => id).sort()).toEqual(
          sent.map(({ answers }) => answers.at(-1)?.envelopeId).sort(),
        );
      }
    },
  );
});
