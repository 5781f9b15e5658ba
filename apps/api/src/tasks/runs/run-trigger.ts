import type { Trigger } from '@platform/contracts';

/** Returns the trigger of a run with its payload, which is stored beside it. */
export function joinTrigger(
  trigger: Trigger | null,
  payload: Record<string, unknown> | null,
): Trigger | null {
  return trigger && { ...trigger, payload: payload ?? {} };
}
