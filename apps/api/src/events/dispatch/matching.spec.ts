import type { TaskFacts } from '../../tasks/definition/task-facts.ts';
import type { ClaimedEnvelope, MatchedSubscription } from './dispatch.store.ts';
import { matchEnvelope, parsePayloads, runsOf, matchUpTo, type Envelope } from './matching.ts';

const EMITTED = new Date('2026-01-01T00:00:00.500Z');

const envelope = (id: string, more: Partial<Envelope> = {}): Envelope => ({
  id,
  generation: 0,
  bulkReplayId: null,
  spaceId: 's',
  applicationId: 'app',
  event: 'a.x',
  payload: { n: 1 },
  json: '{"n":1}',
  source: 'app',
  emittedAt: EMITTED,
  actorUserId: null,
  causationId: null,
  rootId: id,
  depth: 0,
  path: ['app/a.x'],
  limitedTo: null,
  ...more,
});

const subscription = (id: string, more: Partial<MatchedSubscription> = {}): MatchedSubscription => ({
  id,
  applicationId: 'app',
  event: 'a.x',
  taskId: 'task',
  filter: null,
  debounce: null,
  batch: null,
  enabled: true,
  createdAt: new Date('2025-01-01'),
  ...more,
});

const task = (more: Partial<TaskFacts> = {}): TaskFacts => ({
  id: 'task',
  name: 'Task',
  type: 'EVENT',
  enabled: true,
  disabledReason: null,
  ownerUserId: 'owner',
  concurrencyKey: null,
  exists: true,
  ...more,
});

const match = (event: Envelope, subscriptions: MatchedSubscription[], facts = task()) => {
  let runs = 0;
  return matchEnvelope(event, subscriptions, new Map([['task', facts]]), () => `run ${++runs}`);
};

const outcomes = (subscriptions: MatchedSubscription[], facts = task(), event = envelope('e')) =>
  match(event, subscriptions, facts).verdicts.map(({ outcome }) => outcome);

describe('matching', () => {
  it('leaves out what a replay is not limited to, whatever else is to be said', () => {
    const replay = envelope('e', { generation: 1, limitedTo: new Set(['2']) });
    const subscriptions = [
      subscription('1'),
      subscription('2'),
      subscription('3', { enabled: false }),
      subscription('4', { filter: { n: 2 } }),
    ];
    expect(outcomes(subscriptions, task(), replay)).toEqual(['LEFT_OUT', 'MATCHED', 'LEFT_OUT', 'LEFT_OUT']);
    expect(match(replay, subscriptions).deliveries).toHaveLength(1);
  });

  it('says that the owner of a task has left', () => {
    const facts = task({ enabled: false, disabledReason: 'OWNER_REMOVED' });
    const { verdicts } = match(envelope('e'), [subscription('1')], facts);
    expect(verdicts).toMatchObject([
      {
        outcome: 'TASK_DISABLED',
        reason: expect.stringContaining('its owner has left the space') as unknown,
      },
    ]);
  });

  it('decides by the switch first, then by the time, the filter, and the task', () => {
    const filter = { n: 2 };
    const late = new Date('2026-01-01T00:00:00.502Z');
    const off = { enabled: false, createdAt: late, filter };
    expect(outcomes([subscription('1', off)], task({ enabled: false }))).toEqual(['DISABLED']);
    expect(outcomes([subscription('1', { createdAt: late, filter })])).toEqual(['CREATED_AFTER_EMISSION']);
    expect(outcomes([subscription('1', { filter })], task({ enabled: false }))).toEqual(['FILTER_MISMATCH']);
    expect(outcomes([subscription('1')], task({ enabled: false }))).toEqual(['TASK_DISABLED']);
    expect(outcomes([subscription('1')])).toEqual(['MATCHED']);
  });

  it('compares times to the millisecond, and not at all in a replay', () => {
    const same = new Date(EMITTED.getTime() + 1);
    expect(outcomes([subscription('1', { createdAt: same })])).toEqual(['MATCHED']);
    const late = subscription('1', { createdAt: new Date('2027-01-01') });
    expect(outcomes([late], task(), envelope('e', { generation: 1 }))).toEqual(['MATCHED']);
  });

  it('lets events wait for others, also those of a bulk replay, but none that is replayed alone', () => {
    const subscriptions = [
      subscription('1', { debounce: { windowMs: 100 } }),
      subscription('2', { batch: { maxItems: 2, windowMs: 100 } }),
    ];
    const inBulk = envelope('e', { generation: 1, bulkReplayId: 'b' });
    for (const event of [envelope('e'), inBulk]) {
      expect(outcomes(subscriptions, task(), event)).toEqual(['DEBOUNCED', 'BATCHED']);
      const matching = match(event, subscriptions);
      expect(matching.deliveries.map(({ outcome }) => outcome)).toEqual(['RUN_SHARED', 'RUN_SHARED']);
      expect(runsOf([matching])).toMatchObject([
        { window: { windowMs: 100 }, batch: null },
        { window: null, batch: { maxItems: 2 } },
      ]);
    }
    const alone = { ...inBulk, bulkReplayId: null };
    expect(outcomes(subscriptions, task(), alone)).toEqual(['MATCHED', 'MATCHED']);
    expect(runsOf([match(alone, subscriptions)])).toMatchObject([
      { window: null, batch: null, payload: '{"n":1}' },
      { window: null, batch: null, trigger: { itemCount: 1 } },
    ]);
  });

  it('leaves out subscriptions whose task is gone or is no longer started by events', () => {
    expect(outcomes([subscription('1')], task({ exists: false }))).toEqual([]);
    expect(outcomes([subscription('1')], task({ type: 'MANUAL' }))).toEqual([]);
    expect(outcomes([subscription('1', { taskId: 'unknown' })])).toEqual([]);
  });

  it('makes runs of the deliveries that start one, and of no others', () => {
    const matching = match(envelope('e', { depth: 2, rootId: 'r', causationId: 'c', actorUserId: 'u' }), [
      subscription('2'),
      subscription('3', { enabled: false }),
    ]);
    expect(runsOf([matching])).toEqual([
      {
        id: 'run 1',
        concurrencyKey: null,
        batch: null,
        spaceId: 's',
        taskId: 'task',
        ownerUserId: 'owner',
        envelopeId: 'e',
        generation: 0,
        subscriptionId: '2',
        rootId: 'r',
        depth: 2,
        path: ['app/a.x'],
        window: null,
        payload: '{"n":1}',
        trigger: {
          event: 'a.x',
          source: 'app',
          id: 'e',
          emittedAt: EMITTED.toISOString(),
          spaceId: 's',
          actorUserId: 'u',
          causationId: 'c',
          depth: 2,
        },
      },
    ]);
    const disabled = match(envelope('e'), [subscription('1')], task({ enabled: false }));
    expect(disabled.deliveries).toMatchObject([{ outcome: 'TASK_DISABLED', runId: null }]);
    expect(runsOf([disabled])).toEqual([]);
  });

  it('fills a transaction up to its limits, but never with less than one envelope', () => {
    const many = Array.from({ length: 1_500 }, (_, i) => subscription(String(i)));
    const matched: string[] = [];
    const matchWith = (runs: number) => (event: Envelope) => {
      matched.push(event.id);
      return match(event, many.slice(0, runs));
    };
    const four = ['a', 'b', 'c', 'd'].map((id) => envelope(id));
    expect(matchUpTo(1_000, four, matchWith(450))).toHaveLength(2);
    expect(matched).toEqual(['a', 'b', 'c']);
    expect(matchUpTo(1_000, four, matchWith(1_500))).toHaveLength(1);
    expect(matchUpTo(1_000, [], matchWith(1))).toEqual([]);
  });

  it('tells payloads that cannot be read apart', () => {
    const claimed = (id: string, payload: string): ClaimedEnvelope => ({
      ...envelope(id),
      limitedTo: null,
      payload,
    });
    const { readable, unreadable } = parsePayloads([claimed('a', '{"__proto__":1}'), claimed('b', '{')]);
    expect(readable.map(({ id, json, payload }) => [id, json.length, Object.keys(payload)])).toEqual([
      ['a', 15, ['__proto__']],
    ]);
    expect(unreadable).toMatchObject([{ id: 'b', generation: 0 }]);
  });
});
