import type { ToolAuth, ToolAuthStatus } from '@platform/contracts';
import type { SecretContext } from '../../infra/crypto/secret-box.ts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { canAuthenticate, isHeaderValue } from '../calls/http-request-auth.ts';

/** The fields of each type besides `type`; the secret is last. */
const FIELDS = {
  none: [],
  apiKey: ['in', 'name', 'value'],
  bearer: ['token'],
  basic: ['username', 'password'],
  header: ['name', 'value'],
} as const satisfies Record<ToolAuth['type'], readonly string[]>;
const SECRET_FIELDS: readonly string[] = ['value', 'token', 'password'];
const LOCATIONS: readonly unknown[] = ['header', 'query', 'cookie'];
const MAX_SECRET_LENGTH = 4_000;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;

/** The place that the secret of a tool is encrypted for. */
export function authPlace(spaceId: string, toolId: string): SecretContext {
  return { spaceId, recordId: toolId, field: 'auth' };
}

/** Returns what is wrong with the authentication of a request; never repeats its values. */
export function checkAuth(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) {
    return [`${path}.type must be one of ${Object.keys(FIELDS).join(', ')}`];
  }
  const fields = FIELDS[type as ToolAuth['type']];
  const wrong = fields.flatMap((field) => {
    const problem = fieldProblem(value, field);
    return problem === null ? [] : [`${path}.${field} ${problem}`];
  });
  // What a response contains can be sent back.
  return [...unknownFieldProblems(value, ['type', 'configured', ...fields], path), ...wrong];
}

/** A checked authentication without its secret. */
export function describeAuth(auth: ToolAuth, configured: boolean): ToolAuthStatus {
  switch (auth.type) {
    case 'none':
      return { type: 'none' };
    case 'apiKey':
      return { type: 'apiKey', in: auth.in, name: auth.name, configured };
    case 'bearer':
      return { type: 'bearer', configured };
    case 'basic':
      return { type: 'basic', username: auth.username, configured };
    case 'header':
      return { type: 'header', name: auth.name, configured };
  }
}

/** The secret that a request sends; empty: the stored one is removed; null: none was sent. */
export function secretOf(auth: ToolAuth): string | null {
  switch (auth.type) {
    case 'none':
      return '';
    case 'bearer':
      return auth.token ?? null;
    case 'basic':
      return auth.password ?? null;
    case 'apiKey':
    case 'header':
      return auth.value ?? null;
  }
}

/** The name of the field that contains the secret of a type. */
export function secretFieldOf(type: ToolAuth['type']): string {
  return `auth.${FIELDS[type].at(-1) ?? ''}`;
}

/** Whether a secret of one authentication is sent in the same way by the other. */
export function sendsAlike(one: ToolAuthStatus, other: ToolAuthStatus): boolean {
  const fields = (auth: ToolAuthStatus) => JSON.stringify({ ...auth, configured: null });
  return fields(one) === fields(other);
}

function fieldProblem(auth: Record<string, unknown>, field: string): string | null {
  const value = auth[field];
  if (SECRET_FIELDS.includes(field)) return secretProblem(auth, value);
  if (field === 'in') return LOCATIONS.includes(value) ? null : 'must be header, query, or cookie';
  if (field === 'username') {
    return isText(value) && value.length <= 1_000 && !/[:\p{Cc}]/u.test(value)
      ? null
      : 'must be a text of at most 1000 characters without colons and control characters';
  }
  if (typeof value !== 'string' || !TOKEN.test(value)) return 'must be the name of a header or parameter';
  const isHeader = auth.type === 'header' || auth.in === 'header';
  return isHeader && !canAuthenticate(value) ? 'must not be a header that the platform sets' : null;
}

function secretProblem({ type, in: location }: Record<string, unknown>, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (!isText(value) || value.length > MAX_SECRET_LENGTH) {
    return `must be a text of at most ${MAX_SECRET_LENGTH} characters`;
  }
  if (type === 'basic' || location === 'query') return null;
  const isCookie = location === 'cookie';
  if (!isHeaderValue(value) || (isCookie && /[;,\s"\\]/.test(value))) {
    return `must contain only what a ${isCookie ? 'cookie' : 'header'} can carry`;
  }
  return null;
}
