import type { AuthKind } from './auth-kind.ts';

export const bearerAuth: AuthKind<'bearer'> = {
  kind: 'bearer',
  secretLabel: 'toolPages.secrets.bearer',
  toValues: () => ({}),
  toAuth: (_, secret) => ({ type: 'bearer', ...(secret !== undefined && { token: secret }) }),
  Fields: () => null,
};
