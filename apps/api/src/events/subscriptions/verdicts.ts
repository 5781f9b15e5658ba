import type {
  DeliveryOutcome,
  EventFilter,
  SubscriptionBatch,
  SubscriptionDebounce,
  SubscriptionVerdict,
  VerdictOutcome,
} from '@platform/contracts';
import type { TaskFacts } from '../../tasks/definition/task-facts.ts';
import { batchSentence } from './batch.ts';
import { debounceSentence } from './debounce.ts';
import { matchFilter } from './filter.ts';

/** What a dispatch knows of a subscription. */
export interface JudgedSubscription {
  id: string;
  taskId: string;
  filter: EventFilter | null;
  debounce: SubscriptionDebounce | null;
  batch: SubscriptionBatch | null;
  enabled: boolean;
  createdAt: Date;
}

/** What a dispatch knows of an envelope. */
export interface JudgedEnvelope {
  payload: Record<string, unknown>;
  generation: number;
  /** The bulk replay that its generation belongs to. */
  bulkReplayId: string | null;
  emittedAt: Date;
  /** The subscriptions that a replay is limited to; null: all. */
  limitedTo: ReadonlySet<string> | null;
}

/** The time of an emission is rounded to a millisecond. */
const ROUNDING_MS = 1;

/** Decides what a subscription makes of an envelope. Returns null if its task no longer exists, so that it says nothing. */
export function judge(
  envelope: JudgedEnvelope,
  { id, taskId, ...subscription }: JudgedSubscription,
  task: TaskFacts | undefined,
): SubscriptionVerdict | null {
  if (!task?.exists || task.type !== 'EVENT') return null;
  const verdict = (outcome: VerdictOutcome, reason: string | null = null) => ({
    subscriptionId: id,
    taskId,
    outcome,
    reason,
  });
  if (envelope.limitedTo?.has(id) === false) return verdict('LEFT_OUT', 'Left out of this replay');
  if (!subscription.enabled) return verdict('DISABLED', 'The subscription is disabled');
  // A replay is for the subscriptions of today.
  if (
    envelope.generation === 0 &&
    subscription.createdAt.getTime() > envelope.emittedAt.getTime() + ROUNDING_MS
  )
    return verdict('CREATED_AFTER_EMISSION', 'The subscription was created after the event was emitted');
  try {
    const { matches, reason } = matchFilter(subscription.filter, envelope.payload);
    if (!matches) return verdict('FILTER_MISMATCH', reason);
  } catch (error) {
    return verdict('FILTER_ERROR', (error as Error).message);
  }
  if (!task.enabled) return verdict('TASK_DISABLED', disabledSentence(task));
  const { debounce, batch } = subscription;
  if (isReplayedAlone(envelope)) return verdict('MATCHED');
  if (debounce !== null) return verdict('DEBOUNCED', debounceSentence(debounce));
  if (batch !== null) return verdict('BATCHED', batchSentence(batch));
  return verdict('MATCHED');
}

/** Whoever replays one event does not wait for others. */
export function isReplayedAlone({
  generation,
  bulkReplayId,
}: Pick<JudgedEnvelope, 'generation' | 'bulkReplayId'>): boolean {
  return generation > 0 && bulkReplayId === null;
}

function disabledSentence({ disabledReason }: TaskFacts): string {
  return disabledReason === 'OWNER_REMOVED'
    ? 'The task is disabled, because its owner has left the space: give it another owner'
    : 'The task is disabled';
}

/** Returns what is delivered by a verdict; null: nothing. */
export function deliveryOf({ outcome }: SubscriptionVerdict): DeliveryOutcome | null {
  switch (outcome) {
    case 'MATCHED':
      return 'RUN_CREATED';
    case 'DEBOUNCED':
    case 'BATCHED':
      return 'RUN_SHARED';
    case 'TASK_DISABLED':
      return 'TASK_DISABLED';
    case 'FILTER_MISMATCH':
    case 'FILTER_ERROR':
    case 'DISABLED':
    case 'CREATED_AFTER_EMISSION':
    case 'LEFT_OUT':
      return null;
  }
}
