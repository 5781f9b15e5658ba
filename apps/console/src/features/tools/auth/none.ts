import type { AuthKind } from './auth-kind.ts';

export const noAuth: AuthKind<'none'> = {
  kind: 'none',
  secretLabel: null,
  toValues: () => ({}),
  toAuth: () => ({ type: 'none' }),
  Fields: () => null,
};
