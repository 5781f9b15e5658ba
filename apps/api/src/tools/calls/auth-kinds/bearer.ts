import { authHeader, headerSecretProblem, type AuthKind } from './auth-kind.ts';

export const bearer: AuthKind<{ type: 'bearer' }> = {
  type: 'bearer',
  fields: {},
  secret: { field: 'token', check: headerSecretProblem },
  apply: async (_auth, token) => authHeader('Authorization', `Bearer ${token}`, [token]),
};
