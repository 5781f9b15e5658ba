import { authHeader, headerSecretProblem, nameField, type AuthKind } from './auth-kind.ts';

export const header: AuthKind<{ type: 'header'; name: string }> = {
  type: 'header',
  fields: { name: nameField(() => true) },
  secret: { field: 'value', check: headerSecretProblem },
  apply: async ({ name }, value) => authHeader(name, value, [value]),
};
