import type {
  CausationNode,
  Envelope,
  EnvelopeGeneration,
  EnvelopeRun,
  SubscriptionVerdict,
} from '@platform/contracts';
import type { RunSummary } from '../../tasks/history/run-summaries.service.ts';
import type { CausationRow, DeliveryRow } from './envelope-detail.store.ts';
import type { EnvelopeReplayEntity } from '../records/envelope-replay.entity.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';

export function toEnvelope(
  row: EnvelopeEntity,
  applicationIdentifier: string,
  deliveries: Envelope['deliveries'],
): Envelope {
  const { id, event, status, statusReason, source, payload, matchedCount, generation, depth } = row;
  return {
    id,
    applicationIdentifier,
    event,
    status,
    statusReason,
    source,
    payload,
    matchedCount,
    generation,
    deliveries,
    depth,
    emittedAt: row.emittedAt.toISOString(),
    dispatchedAt: row.dispatchedAt?.toISOString() ?? null,
    erasure: row.erasure,
  };
}

/**
 * The generations of an envelope, newest first, from its replays, newest first: a replay says who requested its generation,
 * and what had become of the one before it.
 */
export function toGenerations(
  envelope: EnvelopeEntity,
  laterVerdicts: readonly SubscriptionVerdict[],
  replays: readonly EnvelopeReplayEntity[],
  runsOf: (generation: number) => EnvelopeRun[],
  now: Date,
): EnvelopeGeneration[] {
  const generations: EnvelopeGeneration[] = [];
  let outcome: Pick<
    EnvelopeGeneration,
    'generation' | 'status' | 'statusReason' | 'matchedCount' | 'dispatchedAt' | 'verdicts' | 'asOf'
  > = {
    generation: envelope.generation,
    status: envelope.status,
    statusReason: envelope.statusReason,
    matchedCount: envelope.matchedCount,
    dispatchedAt: envelope.dispatchedAt?.toISOString() ?? null,
    verdicts: [...(envelope.verdicts ?? []), ...laterVerdicts],
    asOf: laterVerdicts.length > 0 ? now.toISOString() : null,
  };
  for (const replay of replays) {
    const { requestedBy, requestedAt, generation } = replay;
    const request = {
      requestedBy,
      requestedAt: requestedAt.toISOString(),
      only: replay.limitOnly,
      subscriptionIds: replay.limitSubscriptionIds,
    };
    generations.push({ ...outcome, ...request, runs: runsOf(generation) });
    outcome = {
      generation: generation - 1,
      status: replay.previousStatus,
      statusReason: replay.previousReason,
      matchedCount: replay.previousMatchedCount,
      dispatchedAt: replay.previousDispatchedAt?.toISOString() ?? null,
      verdicts: replay.previousVerdicts ?? [],
      asOf: null,
    };
  }
  if (outcome.generation > 0) return generations;
  const emission = {
    requestedBy: null,
    requestedAt: envelope.emittedAt.toISOString(),
    only: null,
    subscriptionIds: null,
  };
  return [...generations, { ...outcome, ...emission, runs: runsOf(0) }];
}

/** The run of a delivery; null if it started none, or if the run is no longer kept. */
export function toEnvelopeRun(
  { runId, subscriptionId }: DeliveryRow,
  summaries: ReadonlyMap<string, RunSummary>,
): EnvelopeRun | null {
  const run = runId === null ? undefined : summaries.get(runId);
  if (run === undefined) return null;
  const { id, taskId, taskName, status, createdAt, finishedAt, durationMs } = run;
  return {
    runId: id,
    taskId,
    taskName,
    subscriptionId,
    status,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    durationMs,
  };
}

export function toCausationNode(
  { id, causationRunId, emittedAt, ...node }: CausationRow,
  summaries: ReadonlyMap<string, RunSummary>,
): CausationNode {
  const run = causationRunId === null ? undefined : summaries.get(causationRunId);
  return {
    envelopeId: id,
    ...node,
    causedBy: run ? { runId: run.id, taskId: run.taskId, taskName: run.taskName, status: run.status } : null,
    emittedAt: emittedAt.toISOString(),
  };
}
