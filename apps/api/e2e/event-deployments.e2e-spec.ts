import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Fleet } from './faults/fleet.ts';
import { judge } from './faults/referee.ts';
import { LIMIT_MS, scaled, transports } from './faults/scale.ts';
import { eventually } from './harness/eventually.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

const STEPS = 4;
const COUNT = 24;
/** Longer than a step, so that none is cut off; in the slow tier, a run takes longer. */
const DRAIN_MS = scaled('FAULT_DRAIN_MS', { quick: 10_000, slow: 19_000 });
/** A run has four of them: 30 s in the slow tier. */
const STEP_MS = scaled('FAULT_STEP_MS', { quick: 1_000, slow: 7_500 });
/** Each is replaced by another one, and a start takes seconds. */
const PROCESSES = scaled('FAULT_PROCESSES', { quick: 1, slow: 2 });
const random = seededRandom();

describe.each(transports('in-process'))('a rolling deployment, %s', (transport) => {
  let fleet: Fleet;

  beforeAll(async () => {
    const env = { PLATFORM_RUN_LEASE_MS: '8000', PLATFORM_RUN_DRAIN_MS: String(DRAIN_MS) };
    fleet = await Fleet.start({ transport, processes: PROCESSES, env });
  });
  afterAll(() => fleet.close());

  verifies(
    ['run.handover', 'event.guarantee.once', 'event.guarantee.slots'],
    'F42: all processes are replaced while runs execute: no run is lost, and no step is executed twice or cut off',
    async () => {
      const world = await fleet.install('deployed');
      const short = await world.subscribe('short', { input: { ms: 20 } });
      const long = await world.subscribe('long', {
        effects: STEPS,
        concurrency: COUNT,
        input: { ms: STEP_MS },
      });
      const replaced = [...fleet.members];
      await fleet.emitter(world).load({ count: COUNT / 2, random });
      const first = long.labels[0] ?? '';
      await eventually(async () => expect(await fleet.sink.effects(first)).toHaveLength(COUNT / 2));
      for (const [i, doomed] of replaced.entries()) {
        const successor = await fleet.spawn();
        if (i === PROCESSES - 1) await fleet.emitter(world).load({ count: COUNT / 2, random });
        await delay(random(STEP_MS));
        doomed.signal('SIGTERM');
        expect(await doomed.exit()).toBe(0);
        await fleet.bury(doomed);
        await successor.ready();
      }
      const summary = await judge(fleet);
      const [handed] = await fleet.app.sql<{ handovers: number }>(
        'select sum(handovers)::int as handovers from run',
      );
      console.info('F42', summary, handed);
      expect(summary.runs).toEqual({ SUCCEEDED: 2 * COUNT });
      for (const label of [short.label, ...long.labels]) {
        const effects = await fleet.sink.effects(label);
        expect(effects.map(({ isAborted }) => isAborted)).toEqual(Array(COUNT).fill(false));
      }
      expect(handed?.handovers).toBeGreaterThan(0);
    },
  );
});
