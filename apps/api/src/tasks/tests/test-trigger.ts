import type { Trigger } from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { PAYLOAD_LIMITS } from '../../infra/routes/body-limit.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';

const MAX_EVENT_LENGTH = 200;

export function checkTestTrigger(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object with event and payload`];
  const { event, payload } = value;
  const problems = unknownFieldProblems(value, ['event', 'payload'], path);
  if (!isText(event) || event === '' || event.length > MAX_EVENT_LENGTH)
    problems.push(`${path}.event must be a text of 1 to ${MAX_EVENT_LENGTH} characters`);
  if (!isObject(payload)) problems.push(`${path}.payload must be an object`);
  else if (Buffer.byteLength(JSON.stringify(payload)) > PAYLOAD_LIMITS.bytes)
    problems.push(`${path}.payload must have at most ${PAYLOAD_LIMITS.bytes} bytes`);
  return problems;
}

/** The trigger of a test: no event has its id. */
export function makeTrigger(
  { event, payload }: Pick<Trigger, 'event' | 'payload'>,
  by: { spaceId: string; userId: string },
  now: Date,
): Trigger {
  return {
    event,
    payload,
    source: 'system',
    id: uuidV7(),
    emittedAt: now.toISOString(),
    spaceId: by.spaceId,
    actorUserId: by.userId,
    causationId: null,
    depth: 0,
  };
}
