import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideAccess } from './agent-access.ts';

const users = fc.constantFrom('ada', 'ben', 'cy', 'dee');

describe('decideAccess', () => {
  it('allows every member to call a SPACE agent, listed or not', () => {
    fc.assert(
      fc.property(fc.array(users), users, (allowedUserIds, user) => {
        expect(decideAccess({ accessScope: 'SPACE', allowedUserIds }, user).allowed).toBe(true);
      }),
    );
  });

  it('allows exactly the listed users to call a RESTRICTED agent', () => {
    fc.assert(
      fc.property(fc.array(users), users, (allowedUserIds, user) => {
        const { allowed } = decideAccess({ accessScope: 'RESTRICTED', allowedUserIds }, user);
        expect(allowed).toBe(new Set(allowedUserIds).has(user));
      }),
    );
  });

  it('allows nobody to call a RESTRICTED agent with an empty list', () => {
    expect(decideAccess({ accessScope: 'RESTRICTED', allowedUserIds: [] }, 'ada')).toEqual({
      allowed: false,
      reason: 'The agent is restricted and does not list this user',
    });
  });
});
