import { AuthTextField } from './auth-text-field.tsx';
import type { AuthKind } from './auth-kind.ts';

export const basicAuth: AuthKind<'basic'> = {
  kind: 'basic',
  secretLabel: 'toolPages.secrets.basic',
  toValues: ({ username }) => ({ username }),
  toAuth: ({ username = '' }, secret) => ({
    type: 'basic',
    username,
    ...(secret !== undefined && { password: secret }),
  }),
  Fields: () => <AuthTextField name="username" labelKey="toolPages.username" />,
};
