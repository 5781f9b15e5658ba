import type { EnvelopeReason } from '@platform/contracts';
import { MAX_DEPTH, type Lineage } from '../../tasks/runs/lineage.ts';

/** Where an event comes from, and whether it may be dispatched. */
export interface Causation {
  /** The envelope whose run emits the event; null for a run that no envelope has started. */
  causationId: string | null;
  /** The first emission of the chain; null: the event itself. */
  rootId: string | null;
  depth: number;
  /** The events of the chain, this one included. */
  path: string[];
  /** Why the event is skipped; null if it is not. */
  reason: Extract<EnvelopeReason, 'SAME_EVENT_LOOP' | 'DEPTH_LIMIT'> | null;
}

/** How a path names an event. */
export function pathEntry(applicationId: string, event: string): string {
  return `${applicationId}/${event}`;
}

/**
 * Places an event in the chain of events that its run belongs to. It is skipped if it would occur in the chain more often
 * than its recursion limit, or if the chain is too long. `lineage` is null, or has no path, if no event caused it.
 */
export function guardLoop(
  lineage: Lineage | null,
  event: { applicationId: string; name: string; recursionLimit: number },
): Causation {
  const entry = pathEntry(event.applicationId, event.name);
  if (lineage === null || lineage.path === null)
    return { causationId: null, rootId: null, depth: 0, path: [entry], reason: null };
  const before = lineage.path;
  const depth = (lineage.depth ?? 0) + 1;
  const occurrences = before.filter((earlier) => earlier === entry).length;
  return {
    causationId: lineage.envelopeId,
    rootId: lineage.rootId,
    depth,
    path: [...before, entry],
    reason:
      occurrences >= event.recursionLimit ? 'SAME_EVENT_LOOP' : depth > MAX_DEPTH ? 'DEPTH_LIMIT' : null,
  };
}
