import { encodeStrictly } from '../serialize.ts';
import { authHeader, headerSecretProblem, nameField, type AuthKind } from './auth-kind.ts';

const LOCATIONS = ['header', 'query', 'cookie'] as const;

/** Characters that a cookie can have as they stand. */
const COOKIE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

export const apiKey: AuthKind<{ type: 'apiKey'; in: (typeof LOCATIONS)[number]; name: string }> = {
  type: 'apiKey',
  fields: {
    in: {
      schema: { type: 'string', enum: [...LOCATIONS] },
      check: (value) =>
        (LOCATIONS as readonly unknown[]).includes(value) ? null : 'must be header, query, or cookie',
    },
    name: nameField((auth) => auth.in === 'header'),
  },
  secret: {
    field: 'value',
    check: (secret, { in: location }) => {
      if (location === 'query') return null;
      if (location !== 'cookie') return headerSecretProblem(secret);
      const isCookie = headerSecretProblem(secret) === null && !/[;,\s"\\]/.test(secret);
      return isCookie ? null : 'must contain only what a cookie can carry';
    },
  },
  apply: async ({ in: location, name }, value) => {
    if (location === 'header') return authHeader(name, value, [value]);
    const none = { headers: [], query: [], cookies: [], secrets: [value] };
    return location === 'query'
      ? { ...none, query: [[encodeStrictly(name), encodeStrictly(value)]] }
      : { ...none, cookies: [[name, COOKIE.test(value) ? value : encodeStrictly(value)]] };
  },
};
