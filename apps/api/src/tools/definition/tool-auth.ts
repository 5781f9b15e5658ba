import type { ToolAuth, ToolAuthStatus } from '@platform/contracts';
import type { SecretContext } from '../../infra/crypto/secret-box.ts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import type { AuthKind } from '../calls/auth-kinds/auth-kind.ts';
import { authKindOf, authKinds } from '../calls/auth-kinds/auth-kinds.ts';

const MAX_SECRET_LENGTH = 4_000;

/** The place that the secret of a tool is encrypted for. */
export function authPlace(spaceId: string, toolId: string): SecretContext {
  return { spaceId, recordId: toolId, field: 'auth' };
}

/** Returns what is wrong with the authentication of a request; never repeats its values. */
export function checkAuth(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [`${path} must be an object`];
  const kind = authKinds.get(value.type);
  if (kind === undefined) return [`${path}.type must be one of ${[...authKinds.keys()].join(', ')}`];
  const problems = new Map<string, string | null>();
  for (const [field, { check }] of Object.entries(kind.fields))
    problems.set(field, check(value[field], value));
  if (kind.secret !== null) problems.set(kind.secret.field, secretProblem(kind.secret, value));
  // What a response contains can be sent back.
  const known = ['type', 'configured', ...problems.keys()];
  const wrong = [...problems].flatMap(([field, problem]) =>
    problem === null ? [] : [`${path}.${field} ${problem}`],
  );
  return [...unknownFieldProblems(value, known, path), ...wrong];
}

/** A checked authentication without its secret. */
export function describeAuth(auth: ToolAuth, configured: boolean): ToolAuthStatus {
  const { type, fields, secret } = authKindOf(auth);
  const values = Object.keys(fields).map((field) => [field, valueOf(auth, field) ?? null]);
  return {
    type,
    ...Object.fromEntries(values),
    ...(secret !== null && { configured }),
  } as ToolAuthStatus;
}

/** The secret that a request sends; empty: the stored one is removed; null: none was sent. */
export function secretOf(auth: ToolAuth): string | null {
  const { secret } = authKindOf(auth);
  return secret === null ? '' : ((valueOf(auth, secret.field) as string | null | undefined) ?? null);
}

/** The name of the field that contains the secret of a type. */
export function secretFieldOf(type: ToolAuth['type']): string {
  return `auth.${authKindOf({ type }).secret?.field ?? ''}`;
}

/** The connection that an authentication refers to; null if it refers to none. */
export function connectionOf(
  auth: ToolAuthStatus,
): { connectionId: string | null; providerId: string | null } | null {
  return auth.type === 'connection' ? auth : null;
}

/** Whether a secret of one authentication is sent in the same way by the other. */
export function sendsAlike(one: ToolAuthStatus, other: ToolAuthStatus): boolean {
  const fields = (auth: ToolAuthStatus) => JSON.stringify({ ...auth, configured: null });
  return fields(one) === fields(other);
}

interface FieldSchema {
  type: string;
  enum?: string[];
  nullable?: boolean;
  writeOnly?: boolean;
}

/** The kinds in the API document: with their secrets in requests, with `configured` instead in responses. */
export function authSchemas(part: 'request' | 'response') {
  return [...authKinds.values()].map(({ type, fields, secret }) => {
    const properties: Record<string, FieldSchema> = { type: { type: 'string', enum: [type] } };
    for (const [field, { schema }] of Object.entries(fields)) properties[field] = schema;
    const required = Object.keys(properties).filter(
      (field) => part === 'response' || fields[field]?.isOptional !== true,
    );
    if (secret !== null && part === 'request')
      properties[secret.field] = { type: 'string', nullable: true, writeOnly: true };
    if (secret !== null && part === 'response') {
      properties.configured = { type: 'boolean' };
      required.push('configured');
    }
    return { type: 'object', required, properties };
  });
}

function valueOf(auth: object, field: string): unknown {
  return (auth as JsonObject)[field];
}

function secretProblem({ field, check }: NonNullable<AuthKind['secret']>, auth: JsonObject): string | null {
  const secret = auth[field] ?? null;
  if (secret === null) return null;
  return isText(secret) && secret.length <= MAX_SECRET_LENGTH
    ? check(secret, auth)
    : `must be a text of at most ${MAX_SECRET_LENGTH} characters`;
}
