import type { AccessRule } from '../../infra/routes/access.ts';
import { refusal } from './access.guard.ts';
import type { ApplicationPrincipal, UserPrincipal } from './principal.ts';

const member: UserPrincipal = {
  kind: 'user',
  userId: 'u',
  spaceId: 's',
  role: 'MEMBER',
  credential: { kind: 'api-key', id: 'k' },
  causationRunId: null,
};
const admin: UserPrincipal = { ...member, role: 'ADMIN' };
const application: ApplicationPrincipal = {
  kind: 'application',
  applicationId: 'a',
  identifier: 'shop',
  isInstalled: true,
  spaceId: 's',
  credential: { kind: 'system-key', id: 'k' },
  causationRunId: null,
};

describe('refusal', () => {
  it.each<[AccessRule | undefined, (string | null)[]]>([
    // Nobody, member, admin, application.
    ['public', [null, null, null, null]],
    ['member', ['UNAUTHORIZED', null, null, 'FORBIDDEN']],
    ['agent', ['UNAUTHORIZED', null, null, 'FORBIDDEN']],
    ['admin', ['UNAUTHORIZED', 'FORBIDDEN', null, 'FORBIDDEN']],
    ['application', ['UNAUTHORIZED', 'FORBIDDEN', 'FORBIDDEN', null]],
    [undefined, ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']],
  ])('rule %s', (rule, expected) => {
    const codes = [undefined, member, admin, application].map(
      (principal) => refusal(rule, principal)?.code ?? null,
    );
    expect(codes).toEqual(expected);
  });

  it('says that a rule is missing', () => {
    expect(refusal(undefined, admin)?.message).toBe('This route states no access rule');
  });
});
