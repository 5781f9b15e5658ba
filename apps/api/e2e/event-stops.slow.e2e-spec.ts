import { jest } from '@jest/globals';
import { Fleet } from './faults/fleet.ts';
import { judge } from './faults/referee.ts';
import { LIMIT_MS, scaled, transports } from './faults/scale.ts';
import { eventually } from './harness/eventually.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

// A process that gets no CPU time for a quarter of it loses its runs.
const LEASE_MS = 5_000;
/** How soon the code of a process that has lost its runs is stopped; `npm test` also runs on busy machines. */
const ABORT_MS = scaled('FAULT_ABORT_MS', { quick: 30_000, slow: 30_000, faults: 1_000 });
const random = seededRandom();

describe.each(transports('in-process'))('a process that stops, %s', (transport) => {
  let fleet: Fleet;

  beforeAll(async () => {
    fleet = await Fleet.start({ transport, processes: 1, env: { PLATFORM_RUN_LEASE_MS: String(LEASE_MS) } });
  });
  afterAll(() => fleet.close());

  verifies(
    ['event.guarantee.once', 'event.guarantee.slots'],
    'F16: a worker that stops past its lease and goes on: its result is discarded and its step aborted',
    async () => {
      const world = await fleet.install('stopped');
      const once = await world.subscribe('once', { input: { ms: 60_000 } });
      const again = await world.subscribe('again', {
        // Longer than the lease, even if it is renewed once more: otherwise the step is over before it is aborted.
        retry: { onInterrupted: true },
        input: { ms: 2 * LEASE_MS },
        concurrency: 1,
      });
      const paused = await fleet.add();
      // Both runs start in the process that is going to stop. Redis would also hand their hints to others that are stopped.
      const others = fleet.members.filter((member) => member !== paused);
      for (const other of others) await fleet.kill(other);
      await fleet.emitter(world, () => [paused.url]).emit(world.payload(random));
      await eventually(async () => {
        const started = [once, again].map(({ label }) => fleet.sink.effects(label));
        expect((await Promise.all(started)).flat().map(({ pid }) => pid)).toEqual([paused.pid, paused.pid]);
      });
      await fleet.stop(paused);
      await fleet.add();
      await eventually(async () => {
        expect((await fleet.sink.effects(again.label)).map(({ attempt }) => attempt)).toEqual([1, 2]);
        expect((await fleet.sink.effects(again.label))[1]?.finishedAt).not.toBeNull();
      });
      paused.signal('SIGCONT');
      const goesOn = Date.now();
      const finished = await eventually(async () => {
        const effects = [
          ...(await fleet.sink.effects(once.label)),
          ...(await fleet.sink.effects(again.label)),
        ];
        const zombies = effects.filter(({ pid }) => pid === paused.pid);
        expect(zombies.map(({ finishedAt, isAborted }) => [finishedAt !== null, isAborted])).toEqual([
          [true, true],
          [true, true],
        ]);
        return zombies.map(({ finishedAt }) => (finishedAt?.getTime() ?? Infinity) - goesOn);
      });
      console.info(`F16: aborted after ${finished.join(' and ')} ms`);
      // One of them would work for a minute.
      expect(Math.max(...finished)).toBeLessThan(ABORT_MS);
      console.info('F16', await judge(fleet));
      const runs = await fleet.app.sql(
        'select task_id as "taskId", status, attempt from run where task_id = any($1::uuid[]) order by attempt',
        [[once.taskId, again.taskId]],
      );
      expect(runs).toEqual([
        { taskId: once.taskId, status: 'INTERRUPTED', attempt: 1 },
        { taskId: again.taskId, status: 'SUCCEEDED', attempt: 2 },
      ]);
      await fleet.kill(paused);
    },
  );
});
