import { AuthTextField } from './auth-text-field.tsx';
import type { AuthKind } from './auth-kind.ts';

export const headerAuth: AuthKind<'header'> = {
  kind: 'header',
  secretLabel: 'toolPages.secrets.header',
  toValues: ({ name }) => ({ name }),
  toAuth: ({ name = '' }, secret) => ({
    type: 'header',
    name,
    ...(secret !== undefined && { value: secret }),
  }),
  Fields: () => <AuthTextField name="name" labelKey="toolPages.authName" placeholder="X-API-Key" />,
};
