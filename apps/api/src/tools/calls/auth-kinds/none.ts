import type { AuthKind } from './auth-kind.ts';

export const none: AuthKind<{ type: 'none' }> = {
  type: 'none',
  fields: {},
  secret: null,
  apply: async () => ({ headers: [], query: [], cookies: [], secrets: [] }),
};
