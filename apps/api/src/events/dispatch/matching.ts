import type {
  SubscriptionBatch,
  SubscriptionDebounce,
  SubscriptionVerdict,
  Trigger,
  TriggerListing,
} from '@platform/contracts';
import type { EventRun } from '../../tasks/runs/run-creation.service.ts';
import type { TaskFacts } from '../../tasks/definition/task-facts.ts';
import type { ClaimedEnvelope, MatchedSubscription, NewDelivery } from './dispatch.store.ts';
import { hashConcurrencyKey } from '../../tasks/keys/concurrency-key.ts';
import { hashKey } from '../subscriptions/debounce.ts';
import { deliveryOf, isReplayedAlone, judge } from '../subscriptions/verdicts.ts';

/** Payloads with more characters are not copied into the runs, which read them from the envelope. */
const MAX_COPIED = 2_000;

export interface Envelope extends Omit<ClaimedEnvelope, 'payload' | 'limitedTo'> {
  payload: Record<string, unknown>;
  /** The payload as it is stored. */
  json: string;
  limitedTo: ReadonlySet<string> | null;
}

/** What becomes an item of a batch. */
export type BatchedEnvelope = Omit<Envelope, 'limitedTo' | 'payload' | 'generation' | 'bulkReplayId'>;

/** What the subscriptions to its event make of an envelope. */
export interface Matching {
  envelope: Envelope;
  verdicts: SubscriptionVerdict[];
  deliveries: (NewDelivery & {
    task: TaskFacts;
    debounce: SubscriptionDebounce | null;
    batch: SubscriptionBatch | null;
  })[];
}

export interface UnreadableEnvelope {
  id: string;
  generation: number;
  error: string;
}

export function parsePayloads(envelopes: readonly ClaimedEnvelope[]): {
  readable: Envelope[];
  unreadable: UnreadableEnvelope[];
} {
  const readable: Envelope[] = [];
  const unreadable: UnreadableEnvelope[] = [];
  for (const envelope of envelopes) {
    try {
      const payload = JSON.parse(envelope.payload) as Record<string, unknown>;
      const limitedTo = envelope.limitedTo && new Set(envelope.limitedTo);
      readable.push({ ...envelope, payload, json: envelope.payload, limitedTo });
    } catch (error) {
      unreadable.push({ id: envelope.id, generation: envelope.generation, error: (error as Error).message });
    }
  }
  return { readable, unreadable };
}

export function matchEnvelope(
  envelope: Envelope,
  subscriptions: readonly MatchedSubscription[],
  tasks: ReadonlyMap<string, TaskFacts>,
  newRunId: () => string,
): Matching {
  const matching: Matching = { envelope, verdicts: [], deliveries: [] };
  for (const subscription of subscriptions) {
    const task = tasks.get(subscription.taskId);
    const verdict = judge(envelope, subscription, task);
    if (verdict === null || task === undefined) continue;
    matching.verdicts.push(verdict);
    const outcome = deliveryOf(verdict);
    const { id: envelopeId, generation } = envelope;
    if (outcome === null) continue;
    const debounce = verdict.outcome === 'DEBOUNCED' ? subscription.debounce : null;
    const { id: subscriptionId, batch } = subscription;
    const runId = outcome === 'TASK_DISABLED' ? null : newRunId();
    matching.deliveries.push({
      envelopeId,
      generation,
      subscriptionId,
      outcome,
      runId,
      task,
      debounce,
      batch,
    });
  }
  return matching;
}

/** Matches the first envelopes that have at most so many runs together, at least one. The others are not looked at. */
export function matchUpTo(
  maxRuns: number,
  envelopes: readonly Envelope[],
  match: (envelope: Envelope) => Matching,
): Matching[] {
  const matchings: Matching[] = [];
  let runs = 0;
  for (const envelope of envelopes) {
    const matching = match(envelope);
    runs += matching.deliveries.length;
    if (matchings.length > 0 && runs > maxRuns) break;
    matchings.push(matching);
  }
  return matchings;
}

/** A run that a delivery starts. */
export interface DeliveredRun extends EventRun {
  /** The events that the run waits with; null: it does not wait. */
  window: { keyHash: string; windowMs: number } | null;
  /** The events with which it is collected; null: it is not. */
  batch: (SubscriptionBatch & { keyHash: string; bytes: number }) | null;
}

/** Returns the runs that deliveries start. */
export function runsOf(matchings: readonly Matching[]): DeliveredRun[] {
  return matchings.flatMap(({ envelope, deliveries }) => {
    const trigger = triggerOf(envelope);
    const payload = envelope.json.length > MAX_COPIED ? null : envelope.json;
    return deliveries.flatMap(({ subscriptionId, runId: id, task, debounce, batch }): DeliveredRun[] => {
      if (id === null) return [];
      const { id: envelopeId, generation, spaceId, rootId, depth, path } = envelope;
      const { id: taskId, ownerUserId } = task;
      return [
        {
          id,
          spaceId,
          taskId,
          ownerUserId,
          // An event that is replayed alone is a batch of its own.
          ...(batch === null
            ? { trigger, payload, concurrencyKey: keyOf(task, { ...trigger, payload: envelope.payload }) }
            : batchOf(task, envelope, [envelope])),
          envelopeId,
          generation,
          subscriptionId,
          rootId,
          depth,
          path,
          window: debounce && {
            keyHash: hashKey(debounce, envelope),
            windowMs: debounce.windowMs,
          },
          batch:
            batch === null || isReplayedAlone(envelope)
              ? null
              : {
                  ...batch,
                  // An upgrade can lead the subscription to another event or task meanwhile.
                  keyHash: hashKey(batch, envelope, `${taskId} ${envelope.event} `),
                  bytes: Buffer.byteLength(itemOf(envelope)),
                },
        },
      ];
    });
  });
}

/** An item of a batch, as JSON: the trigger that a run of the event would have. */
function itemOf(envelope: BatchedEnvelope): string {
  const { event, ...trigger } = triggerOf(envelope);
  const fields = JSON.stringify(trigger).slice(1);
  return `{"event":${JSON.stringify(event)},"payload":${envelope.json},${fields}`;
}

/** What a run of a batch begins with. Its trigger is that of the event whose chain is the longest, without the payload. */
export function batchOf(
  task: TaskFacts,
  representative: BatchedEnvelope,
  envelopes: readonly BatchedEnvelope[],
): Pick<EventRun, 'trigger' | 'payload' | 'concurrencyKey'> {
  const payload = `[${envelopes.map(itemOf).join(',')}]`;
  const trigger = { ...triggerOf(representative), itemCount: envelopes.length };
  const whole = () => ({ ...trigger, payload: {}, items: JSON.parse(payload) as Trigger[] });
  return { trigger, payload, concurrencyKey: task.concurrencyKey && keyOf(task, whole()) };
}

/** Returns the hash of the key of concurrency; null if the task has none. */
function keyOf({ concurrencyKey }: TaskFacts, trigger: Trigger): string | null {
  return concurrencyKey && hashConcurrencyKey(concurrencyKey, { inputs: {}, trigger });
}

type TriggeringEnvelope = Pick<
  Envelope,
  'event' | 'source' | 'id' | 'emittedAt' | 'spaceId' | 'actorUserId' | 'causationId' | 'depth'
>;

/** Returns the trigger of the runs of an envelope, without its payload. */
export function triggerOf(envelope: TriggeringEnvelope): TriggerListing {
  const { event, source, id, emittedAt, spaceId, actorUserId, causationId, depth } = envelope;
  return {
    event,
    source,
    id,
    emittedAt: emittedAt.toISOString(),
    spaceId,
    actorUserId,
    causationId,
    depth,
  };
}
