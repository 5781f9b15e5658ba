import { describe, expect, it } from '@jest/globals';
import { explainAccess } from './access-report.ts';

const members = ['ada', 'ben'].map((id) => ({ id, name: id.toUpperCase(), email: `${id}@example.com` }));
const restricted = { id: 'a1', accessScope: 'RESTRICTED' as const, allowedUserIds: ['ben', 'ghost'] };

describe('explainAccess', () => {
  it('lists every member under SPACE', () => {
    const { users, unknownUserIds } = explainAccess({ ...restricted, accessScope: 'SPACE' }, members);
    expect(users.map(({ userId, allowed }) => [userId, allowed])).toEqual([
      ['ada', true],
      ['ben', true],
    ]);
    expect(unknownUserIds).toEqual(['ghost']);
  });

  it('lists the allowed members of a RESTRICTED agent, and unknown ids separately', () => {
    expect(explainAccess(restricted, members)).toEqual({
      agentId: 'a1',
      accessScope: 'RESTRICTED',
      users: [
        {
          userId: 'ben',
          name: 'BEN',
          email: 'ben@example.com',
          allowed: true,
          reason: 'The agent is restricted and lists this user',
        },
      ],
      unknownUserIds: ['ghost'],
    });
  });

  it('explains one user, listed or not, member or not', () => {
    const caseOf = (id: string) => explainAccess(restricted, members, id);
    expect(caseOf('ada').users).toEqual([
      {
        userId: 'ada',
        name: 'ADA',
        email: 'ada@example.com',
        allowed: false,
        reason: 'The agent is restricted and does not list this user',
      },
    ]);
    expect(caseOf('ada').unknownUserIds).toEqual([]);
    expect(caseOf('ghost')).toMatchObject({
      users: [
        { userId: 'ghost', name: null, allowed: false, reason: 'This id belongs to no member of the space' },
      ],
      unknownUserIds: ['ghost'],
    });
  });
});
