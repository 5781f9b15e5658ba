import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { eventually } from '../harness/eventually.ts';
import type { ServiceProcess } from '../harness/process.ts';
import { seededRandom } from '../harness/random.ts';
import { repeat } from './background.ts';
import { FAILPOINTS } from './failpoints.ts';
import { Fleet } from './fleet.ts';
import { judge, mostAtOnce, settle } from './referee.ts';
import { scaled, transports } from './scale.ts';
import { post } from './world.ts';

jest.setTimeout(1_200_000);

const LEASE_MS = 3_000;
const random = seededRandom();
const DISPATCH = FAILPOINTS.filter((name) => name.startsWith('events.dispatch'));

describe.each(transports('in-process'))('the queues, %s', (transport) => {
  let fleet: Fleet;

  const start = async (processes: number) => {
    fleet = await Fleet.start({ transport, processes, env: { PLATFORM_RUN_LEASE_MS: String(LEASE_MS) } });
  };
  afterEach(() => fleet.close());

  it('F17: SIGTERM during load: every run ends or goes back to the queue, and no lease is left', async () => {
    await start(2);
    const world = await fleet.install('terminated');
    await world.subscribeUsual();
    await world.subscribe('slow', { input: { ms: 300 }, concurrency: 5 });
    const terms = scaled('FAULT_TERMS', { quick: 10, slow: 10 });
    for (let i = 0; i < terms; i++) {
      const [doomed] = fleet.members;
      if (doomed === undefined) throw new Error('No process runs');
      const load = fleet.emitter(world).load({ count: 60, perSecond: 60, random });
      await delay(random(800));
      doomed.signal('SIGTERM');
      expect(await doomed.exit()).toBe(0);
      await fleet.bury(doomed);
      await load;
      await fleet.add();
    }
    const summary = await judge(fleet);
    console.info('F17', summary);
    expect(Object.keys(summary.runs)).toEqual(['SUCCEEDED']);
  });

  it('F22: subscriptions are added, removed, switched, and filtered while events are PENDING', async () => {
    await start(0);
    const count = scaled('FAULT_PENDING', { quick: 2_000, slow: 2_000, faults: 10_000 });
    const world = await fleet.install('changing');
    const subscriber = async (name: string, filter = {}) => world.subscribe(name, { filter });
    const [kept, filtered, disabled, removed] = [
      await subscriber('kept'),
      await subscriber('filtered'),
      await subscriber('disabled'),
      await subscriber('removed'),
    ];
    const emitter = fleet.emitter(world, () => [fleet.app.url]);
    await emitter.load({ count: count / 2, random });
    const late = await subscriber('late', { kind: 'rush' });
    late.createdAfter = fleet.ledger.entries.length;
    const change = async (id: string, method: string, body?: object) => {
      const { status } = await fleet.app.request(method, `/api/events/subscriptions/${id}`, { body });
      expect(status).toBeLessThan(300);
    };
    await change(filtered.subscriptionId, 'PATCH', { filter: { amount: [50, 100] } });
    filtered.filter = { amount: [50, 100] };
    await change(disabled.subscriptionId, 'PATCH', { enabled: false });
    disabled.enabled = false;
    await change(removed.subscriptionId, 'DELETE');
    removed.enabled = false;
    await emitter.load({ count: count / 2, random });
    await Promise.all([fleet.add(), fleet.add()]);
    console.info('F22', await judge(fleet));
    expect(await fleet.sink.effects(kept.label)).toHaveLength(count);
    expect(await fleet.sink.effects(disabled.label)).toEqual([]);
  });

  it('F26: two replays, one after the other: both fire', async () => {
    await start(2);
    const world = await fleet.install('replayed');
    await world.subscribe('all');
    const entry = await fleet.emitter(world).emit(world.payload(random));
    const id = entry.answers[0]?.envelopeId ?? '';
    for (const generation of [1, 2]) {
      await settle(fleet);
      expect(await post(fleet.app, `/api/events/envelopes/${id}/replay`, {})).toMatchObject({ generation });
    }
    console.info('F26', await judge(fleet));
    const runs = await fleet.app.sql<{ generation: number }>(
      'select generation from run order by generation',
    );
    expect(runs.map(({ generation }) => generation)).toEqual([0, 1, 2]);
  });

  it('F27: the dispatch to 500 subscriptions dies in the middle: all of them fire, or none yet', async () => {
    await start(1);
    const world = await fleet.install('fanned-out');
    for (let i = 0; i < 500; i++) await world.subscribe(`subscriber-${i}`);
    for (const name of DISPATCH) {
      const doomed = await fleet.add({ PLATFORM_FAILPOINTS: `${name}:kill` });
      const urls = () => [doomed.url];
      for (let tries = 0; tries < 20 && !doomed.hasEnded; tries++) {
        const entry = await fleet.emitter(world, urls).emit(world.payload(random), crypto.randomUUID());
        const id = entry.answers[0]?.envelopeId;
        if (id === undefined) break;
        const [stored] = await fleet.app.sql<{ deliveries: number }>(
          'select count(*)::int as deliveries from delivery where envelope_id = $1',
          [id],
        );
        expect([0, 500]).toContain(stored?.deliveries);
      }
      await fleet.kill(doomed);
    }
    console.info('F27', await judge(fleet));
  });

  it('F28: an event that kills its process is FAILED in the end, and the others flow', async () => {
    await start(0);
    const world = await fleet.install('poisoned');
    await world.subscribeUsual();
    const emitter = fleet.emitter(world, () => [fleet.app.url]);
    const poison = await emitter.emit(world.payload(random));
    const id = poison.answers[0]?.envelopeId ?? '';
    await emitter.load({ count: 300, random });
    let deaths = 0;
    const spawn = () =>
      fleet.add({ PLATFORM_FAILPOINTS: `events.dispatch.after-match:kill=${id}` }).catch(() => null);
    let member = await spawn();
    const keepOneRunning = repeat(
      async () => {
        if (member?.hasEnded === false) return;
        deaths++;
        if (member !== null) await fleet.bury(member);
        member = await spawn();
      },
      () => 50,
    );
    await eventually(async () => {
      const left = await fleet.app.sql('select envelope_id from envelope_outbox');
      expect(left).toEqual([]);
    }, 600_000);
    await keepOneRunning.stop();
    const [row] = await fleet.app.sql<{ status: string; reason: string }>(
      'select status, status_reason as reason from envelope where id = $1',
      [id],
    );
    expect(row).toEqual({ status: 'FAILED', reason: 'DISPATCH_ATTEMPTS_EXHAUSTED' });
    await fleet.add();
    console.info(`F28: ${deaths} deaths`, await judge(fleet, { mayFail: true }));
  });

  it('F29: a limit of 3 holds over four processes that are killed at random, and all runs end', async () => {
    await start(4);
    const world = await fleet.install('limited');
    const limited = await world.subscribe('limited', {
      concurrency: 3,
      input: { ms: 5 },
      retry: { onInterrupted: true },
    });
    const count = scaled('FAULT_RUNS', { quick: 500, slow: 500, faults: 1_000 });
    const killing = repeat(
      async () => {
        const doomed: ServiceProcess | undefined = fleet.members[random(fleet.members.length)];
        if (doomed !== undefined) await fleet.kill(doomed);
        await fleet.add();
      },
      () => 500 + random(1_500),
    );
    await fleet.emitter(world).load({ count, random });
    await settle(fleet, 300_000);
    await killing.stop();
    console.info('F29', await judge(fleet));
    expect(new Set((await fleet.sink.effects(limited.label)).map(({ runId }) => runId)).size).toBe(count);
  });

  it('F30: a limit that is raised and lowered while runs execute is kept, old or new, and then the new one', async () => {
    await start(2);
    const world = await fleet.install('adjusted');
    const adjusted = await world.subscribe('adjusted', { concurrency: 8, input: { ms: 100 } });
    await fleet.emitter(world).load({ count: 400, random });
    for (const concurrency of [2, 6, 3]) {
      await delay(1_500);
      const { status } = await fleet.app.request('PATCH', `/api/tasks/${adjusted.taskId}`, {
        body: { concurrency },
      });
      expect(status).toBe(200);
      const [changed] = await fleet.app.sql<{ at: Date }>('select clock_timestamp() as at');
      await delay(1_000);
      const after = (await fleet.sink.effects(adjusted.label)).filter(
        // What started under the old limit has ended by then.
        ({ startedAt }) => startedAt.getTime() > (changed?.at.getTime() ?? 0) + 500,
      );
      expect(mostAtOnce(after)).toBeLessThanOrEqual(concurrency);
      expect(after.length).toBeGreaterThan(0);
    }
    console.info('F30', await judge(fleet));
  });
});
