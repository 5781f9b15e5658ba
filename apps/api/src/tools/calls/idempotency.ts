import { createHash } from 'node:crypto';
import {
  isManagedHeader,
  type MethodBinding,
  type ToolAuthStatus,
  type ToolIdempotency,
  type ToolRedirects,
} from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { isHeaderName } from './http-headers.ts';
import type { Pair } from './serialize.ts';

export const DEFAULT_IDEMPOTENCY: ToolIdempotency = { header: 'Idempotency-Key', isHonored: false };

/** What says how a method of a tool is called. */
export interface EffectFacts {
  idempotency: ToolIdempotency;
  redirects: ToolRedirects;
  auth: ToolAuthStatus;
  acts: boolean;
  bindings: MethodBinding[];
}

/** What a call of a method does elsewhere. */
export interface CallEffects {
  acts: boolean;
  /** Whether the server has the effect once, however often the call is made. */
  isRepeatable: boolean;
}

export function checkIdempotency(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  const { header, isHonored } = value;
  const isHeader = typeof header === 'string' && isHeaderName(header) && !isManagedHeader(header);
  const problems = unknownFieldProblems(value, ['header', 'isHonored'], path);
  if (header !== null && !isHeader)
    problems.push(`${path}.header must be null, or the name of a header that the platform does not set`);
  if (typeof isHonored !== 'boolean') problems.push(`${path}.isHonored must be true or false`);
  if (header === null && isHonored === true)
    problems.push(`${path}.isHonored must be false without a header`);
  return problems;
}

/** The header of a call that acts. `effectKey` is the same in all attempts of a run. Null: none is sent. */
export function keyHeader({ header }: ToolIdempotency, effectKey: string): Pair | null {
  return header === null ? null : [header, toKey(effectKey)];
}

/** Servers keep keys of 255 characters. */
function toKey(effectKey: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(effectKey)) return effectKey;
  return `${effectKey.slice(0, 36)}:${createHash('sha256').update(effectKey).digest('base64url')}`;
}

/**
 * Not repeatable is what carries another value than the key: that of the input, which may differ the next time, or of the authentication;
 * and what another origin may receive, to which a redirect carries no key.
 */
export function effectsOf(
  { acts, idempotency: { header, isHonored }, redirects, auth, bindings }: EffectFacts,
  input: JsonObject,
): CallEffects {
  const name = header?.toLowerCase();
  const isGiven = bindings.some(
    (binding) =>
      binding.in === 'header' &&
      (binding.name ?? binding.port).toLowerCase() === name &&
      (Object.hasOwn(input, binding.port) ? (input[binding.port] ?? null) : null) !== null,
  );
  const isReplaced = 'name' in auth && auth.name.toLowerCase() === name;
  return { acts, isRepeatable: !acts || (isHonored && redirects !== 'any' && !isGiven && !isReplaced) };
}
