import type { Trigger } from '@platform/contracts';

/** The payload of a run `r`, which is stored beside its trigger or in its envelope. A function of the events reads the latter. */
export const RUN_PAYLOAD = 'coalesce(r.payload, envelope_payload(r.envelope_id)) as payload';

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
