import type { ToolAuth, ToolAuthStatus } from '@platform/contracts';

export const AUTH_TYPES = ['none', 'apiKey', 'bearer', 'basic', 'header'] as const;
export const AUTH_PLACES = ['header', 'query', 'cookie'] as const;

/** Authentication as a form edits it. The secret has one field, whatever it is called in a request. */
export interface AuthValues {
  type: ToolAuth['type'];
  in?: (typeof AUTH_PLACES)[number];
  name?: string;
  username?: string;
  secret?: string;
}

/** Returns the values for a form. Secrets are write-only, so their field is empty. */
export function toAuthValues(auth: ToolAuthStatus): AuthValues {
  switch (auth.type) {
    case 'apiKey':
      return { type: auth.type, in: auth.in, name: auth.name };
    case 'header':
      return { type: auth.type, name: auth.name };
    case 'basic':
      return { type: auth.type, username: auth.username };
    case 'none':
    case 'bearer':
      return { type: auth.type };
  }
}

/** Returns the authentication for a request. An empty secret is left out, which keeps the stored one. */
export function toAuth({
  type,
  in: place = 'header',
  name = '',
  username = '',
  secret,
}: AuthValues): ToolAuth {
  const isGiven = secret !== undefined && secret !== '';
  switch (type) {
    case 'none':
      return { type };
    case 'apiKey':
      return { type, in: place, name, ...(isGiven && { value: secret }) };
    case 'header':
      return { type, name, ...(isGiven && { value: secret }) };
    case 'bearer':
      return { type, ...(isGiven && { token: secret }) };
    case 'basic':
      return { type, username, ...(isGiven && { password: secret }) };
  }
}

/** Whether a secret is stored for this type. */
export function hasSecret(auth: ToolAuthStatus | undefined, type: ToolAuth['type']): boolean {
  return auth !== undefined && auth.type === type && auth.type !== 'none' && auth.configured;
}
