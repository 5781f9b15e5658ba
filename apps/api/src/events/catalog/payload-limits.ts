import { BODY_LIMITS } from '../../infra/routes/body-limit.ts';
import { deeperThan } from '../../infra/requests/json-shape.ts';

const { bytes, depth } = BODY_LIMITS.event;

/** Returns what is wrong with the size of a payload, or null. Payloads over HTTP are limited by the body as well. */
export function payloadProblem(payload: Record<string, unknown>): string | null {
  if (deeperThan(payload, depth)) return `payload must not be nested deeper than ${depth} levels`;
  if (Buffer.byteLength(JSON.stringify(payload)) > bytes)
    return `payload must have at most ${bytes} bytes as JSON`;
  return null;
}
