import type { ConnectionRef } from '../../../connections/tokens/connection-tokens.service.ts';
import { isUuid } from '../../../infra/requests/ids.ts';
import { apiKey } from './api-key.ts';
import type { AuthCall, AuthKind, AuthParts } from './auth-kind.ts';
import { basic } from './basic.ts';
import { bearer } from './bearer.ts';
import { header } from './header.ts';

type ConnectionAuth = {
  type: 'connection';
  /** A connection of the space; */
  connectionId: string | null;
  /** or each person's own with a provider. */
  providerId: string | null;
};

export function refOf({ connectionId, providerId }: Omit<ConnectionAuth, 'type'>): ConnectionRef {
  return connectionId === null ? { providerId: providerId ?? '' } : { connectionId };
}

const idField = (other: string) => ({
  schema: { type: 'string' as const, nullable: true },
  isOptional: true,
  check: (value: unknown, auth: Record<string, unknown>) => {
    const hasOther = (auth[other] ?? null) !== null;
    if ((value ?? null) === null) return hasOther ? null : `must be an id, unless ${other} is one`;
    if (hasOther) return `must be null if ${other} is an id`;
    return isUuid(value) ? null : 'must be an id';
  },
});

/** Calls are made on behalf of the caller, or of the space: the secret is that of a connection. */
export const connection: AuthKind<ConnectionAuth> = {
  type: 'connection',
  fields: { connectionId: idField('providerId'), providerId: idField('connectionId') },
  secret: null,
  apply: async ({ connectionId, providerId }, _secret, call) => {
    const credentials = await call.connect(refOf({ connectionId, providerId }));
    return { ...(await partsOf(credentials, call)), connection: credentials };
  },
};

function partsOf(
  { sends, secret }: Awaited<ReturnType<AuthCall['connect']>>,
  call: AuthCall,
): Promise<AuthParts> {
  switch (sends.type) {
    case 'bearer':
      return bearer.apply(sends, secret, call);
    case 'basic':
      return basic.apply(sends, secret, call);
    case 'header':
      return header.apply(sends, secret, call);
    case 'apiKey':
      return apiKey.apply(sends, secret, call);
  }
}
