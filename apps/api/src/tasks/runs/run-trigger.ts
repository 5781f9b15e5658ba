import type { Trigger } from '@platform/contracts';
import type { RunTest } from './run.entity.ts';

/**
 * The payload of a run `r`, which is stored beside its trigger or in its envelope. A function of the events reads the latter. A test with
 * an event never has a copy, so that it is erased with the event.
 */
export const RUN_PAYLOAD = `coalesce(
  r.payload, envelope_payload(coalesce(r.envelope_id, (r.test->>'envelopeId')::uuid))) as payload`;

/** Returns the trigger of a test: one that was made up has its payload. */
export function triggerOfTest(
  { trigger, envelopeId = null }: RunTest,
  payload: Record<string, unknown> | Trigger[] | null,
): Trigger | null {
  return envelopeId === null ? trigger : joinTrigger(trigger, payload);
}

/** Returns the trigger of a run with its payload. That of a batch is an array of its items. */
export function joinTrigger(
  trigger: Trigger | null,
  payload: Record<string, unknown> | Trigger[] | null,
): Trigger | null {
  if (trigger === null) return null;
  const { event, payload: _, ...rest } = trigger;
  if (Array.isArray(payload)) return { event, payload: {}, items: payload, ...rest };
  // In the order in which the specification names them.
  return { event, payload: payload ?? {}, ...rest };
}
