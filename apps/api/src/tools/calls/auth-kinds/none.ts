import type { AuthKind } from './auth-kind.ts';

export const none: AuthKind<{ type: 'none' }> = {
  type: 'none',
  fields: {},
  secret: null,
  apply: async (_auth, secret) => ({ headers: [], query: [], cookies: [], secrets: [secret] }),
};
