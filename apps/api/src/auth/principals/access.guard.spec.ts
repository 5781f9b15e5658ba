import type { KeyScope } from '@platform/contracts';
import type { AccessRule } from '../../infra/routes/access.ts';
import { refusal, scopeRefusal } from './access.guard.ts';
import type { ApplicationPrincipal, UserPrincipal } from './principal.ts';

const member: UserPrincipal = {
  kind: 'user',
  userId: 'u',
  spaceId: 's',
  role: 'MEMBER',
  credential: { kind: 'api-key', id: 'k', scopes: ['invoke'] },
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

describe('scopeRefusal', () => {
  const signedIn: UserPrincipal = { ...member, credential: { kind: 'access-token', id: 's' } };
  const message = (scopes: KeyScope[], principal: UserPrincipal = member) =>
    scopeRefusal({ rule: 'member', scopes }, principal)?.message ?? null;

  it('lets a key with one of the scopes call', () => {
    expect(message(['invoke'])).toBeNull();
    expect(message(['manage', 'invoke'])).toBeNull();
  });

  it('names what a key lacks', () => {
    expect(message(['use'])).toBe('This API key lacks the scope use');
    expect(message(['use', 'manage'])).toBe('This API key lacks the scope use or manage');
    expect(message([])).toBe('No API key may make this call: sign in to make it');
  });

  it('is for API keys alone', () => {
    expect(message([], signedIn)).toBeNull();
    expect(scopeRefusal({ rule: 'application', scopes: [] }, application)).toBeNull();
    expect(scopeRefusal({ rule: 'public', scopes: [] }, member)).toBeNull();
  });
});
