import { PAYLOAD_LIMITS } from '../../infra/routes/body-limit.ts';
import { deeperThan } from '../../infra/requests/json-shape.ts';

const { bytes, depth } = PAYLOAD_LIMITS;

/** Returns what is wrong with the size of a payload, or null. `json` is its text. */
export function payloadProblem(payload: Record<string, unknown>, json: string): string | null {
  if (deeperThan(payload, depth)) return `payload must not be nested deeper than ${depth} levels`;
  if (Buffer.byteLength(json) > bytes) return `payload must have at most ${bytes} bytes as JSON`;
  return null;
}
