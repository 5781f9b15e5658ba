import { jest } from '@jest/globals';
import { EMITS_PER_MINUTE } from '../src/infra/routes/rate-limit.ts';
import { FAILPOINTS } from './faults/failpoints.ts';
import { Fleet } from './faults/fleet.ts';
import { judge, settle } from './faults/referee.ts';
import { LIMIT_MS, scaled, transports } from './faults/scale.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

const KILLS = scaled('FAULT_KILLS', { quick: 1, slow: 5, faults: 20 });
// A process that gets no CPU time for a quarter of it loses its runs.
const LEASE_MS = 5_000;
/** Far longer than it takes until a process reaches a place at which it is to die. */
const DIES_MS = 120_000;
const random = seededRandom();

describe.each(transports('in-process'))('processes that die, %s', (transport) => {
  let fleet: Fleet;

  beforeAll(async () => {
    fleet = await Fleet.start({ transport, processes: 1, env: { PLATFORM_RUN_LEASE_MS: String(LEASE_MS) } });
  });
  afterAll(() => fleet.close());

  verifies(
    [
      'event.guarantee.stored',
      'event.guarantee.single',
      'event.guarantee.complete',
      'event.guarantee.once',
      'event.guarantee.slots',
    ],
    'F15: SIGKILL at every place between two statements of the path of an event',
    async () => {
      const world = await fleet.install('killed');
      await world.subscribe('all');
      await world.subscribe('rush', { filter: { kind: 'rush' } });
      await world.subscribe('again', { retry: { onInterrupted: true }, concurrency: 3, input: { ms: 20 } });
      const emitter = fleet.emitter(world);
      const kills = FAILPOINTS.flatMap((name) => Array.from({ length: KILLS }, () => name));
      const died = new Map<string, number>();
      const killNext = async () => {
        for (let name = kills.shift(); name !== undefined; name = kills.shift()) {
          const member = await fleet.spawn({ PLATFORM_FAILPOINTS: `${name}:kill@${1 + random(3)}` });
          await member.ready().catch(() => {});
          const isOver = () => member.hasEnded;
          const deadline = performance.now() + DIES_MS;
          const both = () => [member.url, ...fleet.urls];
          while (!isOver() && performance.now() < deadline)
            await fleet.emitter(world, both).load({ count: 4, atOnce: 4, random, until: isOver });
          if (isOver()) died.set(name, (died.get(name) ?? 0) + 1);
          await fleet.kill(member);
        }
      };
      // One process starts while another one works: starting takes most of the time.
      await Promise.all([killNext(), killNext(), killNext()]);
      await emitter.load({ count: 20, random });
      console.info('F15', Object.fromEntries(died), await judge(fleet));
      expect(FAILPOINTS.filter((name) => died.get(name) !== KILLS)).toEqual([]);
    },
  );

  verifies(
    'event.guarantee.key',
    'F18: many emissions with one key at once over all processes, one of which dies: one envelope per key',
    async () => {
      const keys = scaled('FAULT_KEYS', { quick: 20, slow: 60, faults: 1_000 });
      const atOnce = scaled('FAULT_SAME_KEY', { quick: 20, slow: 20, faults: 200 });
      // Each application stays below its own rate limit, which is not what is tested here.
      const keysEach = Math.floor(EMITS_PER_MINUTE / atOnce);
      const other = await fleet.add();
      const doomed = await fleet.add({
        PLATFORM_FAILPOINTS: `events.emit.before-commit:kill@${3 + random(5)}`,
      });
      for (let first = 0; first < keys; first += keysEach) {
        const world = await fleet.install(`same-key-${first}`);
        await world.subscribe('all');
        const emitter = fleet.emitter(world);
        for (let i = first; i < Math.min(first + keysEach, keys); i++) {
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
      }
      expect(doomed.hasEnded).toBe(true);
      console.info('F18', await judge(fleet));
      for (const member of [other, doomed]) await fleet.kill(member);
    },
  );

  verifies(
    'event.guarantee.key',
    'F19: the same key with another payload fires nothing; for another event or application it is another key',
    async () => {
      const paid = {
        name: 'order.paid',
        description: 'An order was paid.',
        payloadSchema: { type: 'object' },
      };
      const events = [
        { name: 'order.created', description: 'Created.', payloadSchema: { type: 'object' } },
        paid,
      ];
      const [first, second] = [
        await fleet.install('keys-one', { events }),
        await fleet.install('keys-two', { events }),
      ];
      for (const world of [first, second]) {
        await world.subscribe('created');
        await world.subscribe('paid', { event: 'order.paid' });
      }
      const key = 'the same key';
      const entry = await fleet.emitter(first).emit({ amount: 1 }, key);
      const same = await fleet.emitter(first).send({ ...entry, payload: { ...entry.payload, amount: 2 } });
      expect(same).toMatchObject({ status: 200, duplicate: true, samePayload: false });
      expect(same.envelopeId).toBe(entry.answers[0]?.envelopeId);
      const again = await fleet.emitter(first).send(entry);
      expect(again).toMatchObject({ status: 200, duplicate: true, samePayload: true });
      const others = [
        await fleet.emitter(first).emit({ amount: 1 }, key, 'order.paid'),
        await fleet.emitter(second).emit({ amount: 1 }, key),
        await fleet.emitter(second).emit({ amount: 1 }, key, 'order.paid'),
      ];
      for (const { answers } of others) expect(answers).toMatchObject([{ status: 200, duplicate: false }]);
      await settle(fleet);
      for (const world of [first, second])
        for (const { label } of world.subscribers) expect(await fleet.sink.effects(label)).toHaveLength(1);
      console.info('F19', await judge(fleet));
    },
  );
});
