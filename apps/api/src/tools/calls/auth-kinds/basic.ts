import { isText } from '../../../infra/requests/text.ts';
import { authHeader, type AuthKind } from './auth-kind.ts';

export const basic: AuthKind<{ type: 'basic'; username: string }> = {
  type: 'basic',
  fields: {
    username: {
      schema: { type: 'string' },
      check: (value) =>
        isText(value) && value.length <= 1_000 && !/[:\p{Cc}]/u.test(value)
          ? null
          : 'must be a text of at most 1000 characters without colons and control characters',
    },
  },
  secret: { field: 'password', check: () => null },
  apply: async ({ username }, password) => {
    const pair = Buffer.from(`${username}:${password}`).toString('base64');
    return authHeader('Authorization', `Basic ${pair}`, [password, pair]);
  },
};
