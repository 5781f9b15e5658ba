import { jest } from '@jest/globals';
import type {
  AddedMember,
  AuditEntry,
  ErrorBody,
  Invitation,
  Member,
  Page,
  ReceivedInvitation,
  Role,
  SpaceSummary,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { IdentityService } from '../src/auth/people/identity.service.ts';
import type { EntityManager } from 'typeorm';
import { MemberRemovalsRegistry, type RemovedMember } from '../src/auth/people/member-removals.registry.ts';
import { rows } from '../src/infra/database/rows.ts';
import { InstallationAdminsAndInvitations1763600000010 } from '../src/migrations/0010-auth.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { SignIns } from './harness/sign-ins.ts';
import { verifies } from './verifies.ts';

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

const browsers = new SignIns();
let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const failed = (answer: Answer<unknown>) => [answer.status, (answer.body as ErrorBody).code];
const FORBIDDEN = [403, 'FORBIDDEN'];
const NOT_FOUND = [404, 'NOT_FOUND'];
const INVALID = [400, 'VALIDATION_ERROR'];
const CONFLICT = [409, 'CONFLICT'];
const UNAUTHORIZED = [401, 'UNAUTHORIZED'];

/** The admin of a space of his own, who is no installation administrator. */
const spaceAdmin = () => app.addUser('ADMIN', null);

const add = <Body = AddedMember>(as: TestUser, body: object) =>
  app.request<Body>('POST', '/api/members', { as, body });
const invite = (as: TestUser, email: string, role: Role = 'MEMBER') => add(as, { email, role });
const patch = (as: TestUser, userId: string, body: object) =>
  app.request<Member>('PATCH', `/api/members/${userId}`, { as, body });
const remove = (as: TestUser, userId: string) => app.request('DELETE', `/api/members/${userId}`, { as });

const pending = async (as: TestUser) =>
  (await app.request<Page<Invitation>>('GET', '/api/invitations', { as })).body.items;
const withdraw = (as: TestUser, id: string) => app.request('DELETE', `/api/invitations/${id}`, { as });

const received = async (as: TestUser) =>
  (await app.request<Page<ReceivedInvitation>>('GET', '/api/auth/invitations', { as })).body.items;
const answerInvitation = (as: TestUser, id: string, verb: 'accept' | 'decline') =>
  app.request<SpaceSummary>('POST', `/api/auth/invitations/${id}/${verb}`, { as });
const accept = (as: TestUser, id: string) => answerInvitation(as, id, 'accept');
const decline = (as: TestUser, id: string) => answerInvitation(as, id, 'decline');

/** Invites and returns what the person sees of it. */
async function invitation(by: TestUser, person: TestUser, role: Role = 'MEMBER') {
  expect((await invite(by, person.email, role)).status).toBe(202);
  const [first] = await received(person);
  if (!first) throw new Error('The invitation did not arrive');
  return first;
}

/** The person signed in to one of his spaces, by access token. */
async function inSpace(user: TestUser, spaceId: string): Promise<TestUser> {
  const { cookie } = await browsers.signIn(app, user);
  const { body } = await browsers.refresh(app, cookie, { spaceId });
  return { ...user, spaceId, role: body.space.role, apiKey: body.accessToken };
}

const auditOf = async (as: TestUser) =>
  (await app.request<Page<AuditEntry>>('GET', '/api/audit', { as })).body.items;

describe('an account that somebody would take in advance', () => {
  verifies(
    ['access.invitations', 'access.installation-admins'],
    'is not made by the admin of any space, whatever the password sent along',
    async () => {
      const email = 'ceo@corp.example';
      const password = 'chosen by the attacker';
      const attacker = await app.addUser('MEMBER');
      const { body: space } = await app.request<SpaceSummary>('POST', '/api/spaces', {
        as: attacker,
        body: { name: 'Trap' },
      });
      const inTrap = await inSpace(attacker, space.id);
      expect(inTrap.role).toBe('ADMIN');

      expect(failed(await add(inTrap, { email, role: 'MEMBER', password }))).toEqual(FORBIDDEN);
      const invited = await add(inTrap, { email, role: 'MEMBER' });
      expect([invited.status, invited.body]).toEqual([202, { status: 'invited' }]);
      expect((await browsers.login(app, { email, password })).status).toBe(401);

      // Now a real administrator adds the person: the account is new, with a password the attacker never saw.
      const added = await add(app.admin, { email, role: 'ADMIN' });
      expect(added.status).toBe(201);
      expect((await browsers.login(app, { email, password })).status).toBe(401);
      const real = { email, password: added.body.temporaryPassword ?? '' };
      const { answer } = await browsers.signIn(app, real);
      expect(answer.spaces.map(({ id }) => id)).toEqual([app.admin.spaceId]);
    },
  );

  verifies(
    'access.installation-admins',
    'is made and added at once by an installation administrator',
    async () => {
      const added = await add(app.admin, {
        email: 'grace@example.com',
        role: 'MEMBER',
        password: 'ten letters',
      });
      expect([added.status, added.body.role]).toEqual([201, 'MEMBER']);
      const known = await spaceAdmin();
      const joined = await add(app.admin, { email: known.email, role: 'MEMBER' });
      expect([joined.status, joined.body]).toMatchObject([201, { user: { id: known.userId } }]);
      expect(joined.body.temporaryPassword).toBeUndefined();
    },
  );
});

describe('inviting', () => {
  verifies(
    'access.invitations',
    'answers and asks the database the same, whether or not there is an account',
    async () => {
      const by = await spaceAdmin();
      const person = await app.addUser('MEMBER');
      // The first call of a key writes down its use.
      await invite(by, 'first@nowhere.example');
      const query = jest.spyOn(app.get(DataSource), 'query');
      const seen = async (email: string) => {
        query.mockClear();
        const { status, text } = await invite(by, email);
        return { status, text, statements: query.mock.calls.map(([sql]) => sql) };
      };
      try {
        const unknown = await seen('nobody@nowhere.example');
        expect(await seen(person.email)).toEqual(unknown);
        expect(unknown.text).toBe('{"status":"invited"}');
        expect(unknown.statements.length).toBeGreaterThan(5);
      } finally {
        query.mockRestore();
      }
    },
  );

  verifies('access.invitations', 'waits for the person, who joins by accepting', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id, ...rest } = await invitation(by, person, 'ADMIN');
    expect(rest).toEqual({
      space: { id: by.spaceId, name: `Space of ${by.email}` },
      role: 'ADMIN',
      invitedBy: { id: by.userId, email: by.email, name: by.email.slice(0, 6) },
      createdAt: expect.stringMatching(/Z$/) as string,
    });
    expect(await pending(by)).toMatchObject([{ id, email: person.email, role: 'ADMIN' }]);
    const before = await app.request<Page<Member>>('GET', '/api/members', { as: by });
    expect(before.body.items).toHaveLength(1);

    const joined = await accept(person, id);
    expect([joined.status, joined.body]).toEqual([
      200,
      { id: by.spaceId, name: `Space of ${by.email}`, role: 'ADMIN' },
    ]);
    expect([await received(person), await pending(by)]).toEqual([[], []]);
    expect((await pending(await inSpace(person, by.spaceId))).length).toBe(0);
    expect((await auditOf(by)).map(({ action, actor }) => [action, actor?.id])).toEqual([
      ['invitation.accept', person.userId],
      ['invitation.create', by.userId],
    ]);
  });

  it('finds the person whatever the case of the address', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    await invite(by, person.email.toUpperCase());
    expect(await received(person)).toHaveLength(1);
  });

  verifies('access.invitations', 'waits for an account too, and appears when it is made', async () => {
    const by = await spaceAdmin();
    const email = 'later@example.com';
    await invite(by, email);
    const { temporaryPassword = '' } = (await add(app.admin, { email, role: 'MEMBER' })).body;
    const { answer } = await browsers.signIn(app, { email, password: temporaryPassword });
    const person = { ...by, apiKey: answer.accessToken };
    const changed = { currentPassword: temporaryPassword, newPassword: 'a password of mine' };
    expect((await app.request('POST', '/api/auth/password', { as: person, body: changed })).status).toBe(200);
    const [waiting] = await received(person);
    expect((await accept(person, waiting?.id ?? '')).body.id).toBe(by.spaceId);
  });

  it('again changes the role of the pending invitation and creates no second one', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person, 'ADMIN');
    expect(await invitation(by, person, 'MEMBER')).toMatchObject({ id, role: 'MEMBER' });
    expect(await pending(by)).toHaveLength(1);
    expect((await accept(person, id)).body.role).toBe('MEMBER');
    expect(failed(await invite(by, person.email))).toEqual(CONFLICT);
  });

  it('ends when an installation administrator adds the person directly', async () => {
    const by = await app.addUser('ADMIN');
    const person = await spaceAdmin();
    const { id } = await invitation(by, person);
    await add(app.admin, { email: person.email, role: 'MEMBER' });
    expect(await received(person)).toEqual([]);
    expect(failed(await accept(person, id))).toEqual(CONFLICT);
  });

  verifies('access.invitations.limits', 'leaves at most 200 pending in a space', async () => {
    const by = await spaceAdmin();
    await app.sql(
      `insert into invitation (space_id, email, role, invited_by, created_at)
       select $1, n || '@example.org', 'MEMBER', $2, clock_timestamp() - interval '2 hours'
       from generate_series(1, 200) n`,
      [by.spaceId, by.userId],
    );
    const refused = await invite(by, 'one-more@example.org');
    expect(failed(refused)).toEqual(CONFLICT);
    expect((await invite(by, '1@example.org', 'ADMIN')).status).toBe(202);
    const [first] = await pending(by);
    expect((await withdraw(by, first?.id ?? '')).status).toBe(204);
    expect((await invite(by, 'one-more@example.org')).status).toBe(202);
  });

  verifies(
    'access.invitations.limits',
    'is slowed down to 100 an hour of one person, in all spaces',
    async () => {
      const by = await spaceAdmin();
      const { body: space } = await app.request<SpaceSummary>('POST', '/api/spaces', {
        as: by,
        body: { name: 'Another' },
      });
      await app.sql(
        `insert into invitation (space_id, email, role, invited_by, ended_at, outcome)
       select $1, n || '@example.org', 'MEMBER', $2, clock_timestamp(), 'WITHDRAWN' from generate_series(1, 100) n`,
        [space.id, by.userId],
      );
      const refused = await invite(by, 'one-more@example.org');
      expect(failed(refused)).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
      expect(await pending(by)).toEqual([]);
    },
  );

  it('is for admins, and each sees the invitations of his own space', async () => {
    const by = await spaceAdmin();
    const { id } = await invitation(by, app.outsider);
    expect(failed(await app.request('GET', '/api/invitations', { as: app.member }))).toEqual(FORBIDDEN);
    expect(failed(await withdraw(app.member, id))).toEqual(FORBIDDEN);
    expect(failed(await withdraw(app.admin, id))).toEqual(FORBIDDEN);
    expect(failed(await withdraw(by, UNKNOWN_ID))).toEqual(NOT_FOUND);
    expect((await pending(app.admin)).map((each) => each.id)).not.toContain(id);
  });

  verifies('access.lists', 'is listed page by page, to admins and to the person', async () => {
    const person = await app.addUser('MEMBER');
    const by = await spaceAdmin();
    for (let i = 0; i < 2; i++) {
      await invite(await spaceAdmin(), person.email);
      await invite(by, `page-${i}@example.com`);
    }
    await invite(by, person.email);
    for (const [path, as] of [
      ['/api/invitations', by],
      ['/api/auth/invitations', person],
    ] as const) {
      const first = await app.request<Page<Invitation>>('GET', `${path}?limit=2`, { as });
      const next = `${path}?limit=2&cursor=${first.body.nextCursor}`;
      const rest = await app.request<Page<Invitation>>('GET', next, { as });
      expect([first.body.items.length, rest.body.items.length, rest.body.nextCursor]).toEqual([2, 1, null]);
      const ids = [...first.body.items, ...rest.body.items].map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
      const foreign = await app.request('GET', `/api/members?cursor=${first.body.nextCursor}`, { as });
      expect(failed(foreign)).toEqual(INVALID);
    }
  });
});

describe('an invitation', () => {
  verifies('access.invitations', 'can be declined and repeated', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person);
    const declined = await decline(person, id);
    expect([declined.status, declined.body]).toEqual([200, {}]);
    for (const act of [accept, decline]) expect(failed(await act(person, id))).toEqual(CONFLICT);
    expect(await pending(by)).toEqual([]);
    const [entry] = await auditOf(by);
    expect(entry).toMatchObject({
      action: 'invitation.decline',
      actor: null,
      details: { email: person.email },
    });
    expect((await invitation(by, person)).id).not.toBe(id);
  });

  it('is accepted once, also when asked five times at once', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(person, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(failed(await accept(person, id))).toEqual(CONFLICT);
    expect((await auditOf(by)).filter(({ action }) => action === 'invitation.accept')).toHaveLength(1);
  });

  it('of another person is a 404', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person);
    for (const act of [accept, decline]) {
      for (const other of [app.member, app.outsider, by])
        expect(failed(await act(other, id))).toEqual(NOT_FOUND);
      expect(failed(await act(person, UNKNOWN_ID))).toEqual(NOT_FOUND);
      expect(failed(await act(person, 'no-uuid'))).toEqual(NOT_FOUND);
    }
    expect((await accept(person, id)).status).toBe(200);
  });

  verifies('access.invitations', 'ends when it is withdrawn', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person);
    expect((await withdraw(by, id)).status).toBe(204);
    expect(failed(await withdraw(by, id))).toEqual(NOT_FOUND);
    expect(await received(person)).toEqual([]);
    expect(failed(await accept(person, id))).toEqual(CONFLICT);
  });

  it.each(['demoted', 'removed'] as const)('ends when the admin who made it is %s', async (how) => {
    const owner = await spaceAdmin();
    const by = await app.addUser('ADMIN', owner.spaceId);
    const person = await app.addUser('MEMBER');
    const { id } = await invitation(by, person);
    if (how === 'demoted') await patch(owner, by.userId, { role: 'MEMBER' });
    else await remove(owner, by.userId);
    expect([await received(person), await pending(owner)]).toEqual([[], []]);
    expect(failed(await accept(person, id))).toEqual(CONFLICT);
    expect(await app.get(IdentityService).isMember(owner.spaceId, person.userId)).toBe(false);
  });

  it('and the demotion of its inviter leave no member behind, whichever comes first', async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await spaceAdmin();
      const by = await app.addUser('ADMIN', owner.spaceId);
      const person = await app.addUser('MEMBER');
      const { id } = await invitation(by, person, 'ADMIN');
      const [joined, demoted] = await Promise.all([
        accept(person, id),
        patch(owner, by.userId, { role: 'MEMBER' }),
      ]);
      expect(demoted.status).toBe(200);
      const isMember = await app.get(IdentityService).isMember(owner.spaceId, person.userId);
      expect([joined.status, isMember]).toEqual(isMember ? [200, true] : [409, false]);
    }
  });

  it('that ended 30 days ago is swept away', async () => {
    const by = await spaceAdmin();
    const person = await app.addUser('MEMBER');
    const old = await invitation(by, person);
    await decline(person, old.id);
    const { id } = await invitation(by, person);
    await app.sql(`update invitation set ended_at = clock_timestamp() - interval '31 days' where id = $1`, [
      old.id,
    ]);
    await app.sweep();
    expect(await app.sql('select id from invitation where space_id = $1', [by.spaceId])).toEqual([{ id }]);
  });
});

describe('installation administrators', () => {
  const set = (as: TestUser, user: TestUser, installationAdmin: boolean) =>
    patch(as, user.userId, { installationAdmin });

  verifies('access.installation-admins', 'are appointed and dismissed by each other alone', async () => {
    const second = await app.addUser('ADMIN');
    expect(failed(await set(second, second, true))).toEqual(FORBIDDEN);
    expect(failed(await set(app.outsider, app.outsider, true))).toEqual(FORBIDDEN);

    const appointed = await set(app.admin, second, true);
    expect([appointed.status, appointed.body]).toMatchObject([
      200,
      { role: 'ADMIN', installationAdmin: true },
    ]);
    const person = await add(second, { email: 'appointed@example.com', role: 'MEMBER' });
    expect(person.status).toBe(201);
    expect((await set(app.admin, second, false)).body.installationAdmin).toBe(false);
    expect((await add(second, { email: 'dismissed@example.com', role: 'MEMBER' })).status).toBe(202);

    const actions = (await auditOf(app.admin)).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['installation-admin.appoint', 'installation-admin.dismiss']) as string[],
    );
  });

  verifies(
    'access.installation-admins',
    'always remain: the last one is neither dismissed nor removed',
    async () => {
      const colleague = await app.addUser('ADMIN');
      expect(failed(await set(app.admin, app.admin, false))).toEqual(CONFLICT);
      expect(failed(await remove(colleague, app.admin.userId))).toEqual(CONFLICT);
      expect((await browsers.me(app, app.admin.apiKey)).body.installationAdmin).toBe(true);
    },
  );

  it('always remain, also when two dismiss each other at once', async () => {
    for (let round = 0; round < 3; round++) {
      const other = await app.addUser('ADMIN');
      await set(app.admin, other, true);
      const answers = await Promise.all([set(app.admin, other, false), set(other, app.admin, false)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      if (answers[1].status === 200) await set(other, app.admin, true);
      await app.sql('update platform_user set installation_admin = (id = $1)', [app.admin.userId]);
    }
  });

  it('may leave a space while they belong to another', async () => {
    const { body: space } = await app.request<SpaceSummary>('POST', '/api/spaces', {
      body: { name: 'Other' },
    });
    const there = await inSpace(app.admin, space.id);
    const colleague = await app.addUser('ADMIN', space.id);
    expect((await remove(colleague, app.admin.userId)).status).toBe(204);
    expect(failed(await browsers.me(app, there.apiKey))).toEqual(UNAUTHORIZED);
    expect((await browsers.me(app, app.admin.apiKey)).status).toBe(200);
  });

  it('are shown in the list of members and to themselves', async () => {
    const { body } = await app.request<Page<Member>>('GET', '/api/members?limit=200', { as: app.member });
    const shown = body.items.filter(({ installationAdmin }) => installationAdmin);
    expect(shown.map(({ user }) => user.id)).toEqual([app.admin.userId]);
    expect((await browsers.me(app, app.member.apiKey)).body.installationAdmin).toBe(false);
  });

  it.each([
    [{}],
    [{ role: null, installationAdmin: null }],
    [{ installationAdmin: 'true' }],
    [{ role: 'OWNER' }],
  ])('and roles are not changed by %j', async (body) =>
    expect(failed(await patch(app.admin, app.member.userId, body))).toEqual(INVALID),
  );
});

describe('a temporary password', () => {
  verifies('access.temporary-password', 'opens nothing before it is changed', async () => {
    const email = 'temporary@example.com';
    const { temporaryPassword = '' } = (await add(app.admin, { email, role: 'ADMIN' })).body;
    const { answer, cookie } = await browsers.signIn(app, { email, password: temporaryPassword });
    expect(answer.passwordTemporary).toBe(true);
    const person = { ...app.admin, apiKey: answer.accessToken };
    for (const path of ['/api/agents', '/api/members', '/api/auth/invitations', '/models/v1/models']) {
      expect((await app.request('GET', path, { as: person })).status).toBe(403);
    }
    const refused = await app.request('POST', '/api/api-keys', { as: person, body: { name: 'early' } });
    expect(failed(refused)).toEqual(FORBIDDEN);
    expect(refused.body.message).toContain('POST /api/auth/password');
    expect((await browsers.me(app, answer.accessToken)).body.passwordTemporary).toBe(true);
    expect((await browsers.refresh(app, cookie)).body.passwordTemporary).toBe(true);

    const change = (newPassword: string) =>
      app.request('POST', '/api/auth/password', {
        as: person,
        body: { currentPassword: temporaryPassword, newPassword },
      });
    expect(failed(await change(temporaryPassword))).toEqual(INVALID);
    expect((await change('a password of mine')).status).toBe(200);
    expect((await app.request('GET', '/api/agents', { as: person })).status).toBe(200);
    expect((await browsers.refresh(app, cookie)).body.passwordTemporary).toBe(false);
  });

  it('is not what an administrator gives on purpose', async () => {
    const account = { email: 'given@example.com', password: 'ten letters' };
    await add(app.admin, { ...account, role: 'MEMBER' });
    expect((await browsers.signIn(app, account)).answer.passwordTemporary).toBe(false);
  });
});

describe('removing a member', () => {
  verifies(
    'access.removed-member',
    'runs what other modules registered, in the same transaction',
    async () => {
      const user = await app.addUser('MEMBER');
      const seen: unknown[] = [];
      const removals = app.get(MemberRemovalsRegistry);
      const spy = async (tx: EntityManager, removed: RemovedMember) => {
        if (removed.userId !== user.userId) return;
        const left = await rows(tx, 'select 1 from api_key where user_id = $1 and revoked_at is null', [
          user.userId,
        ]);
        seen.push({ ...removed, keys: left.length });
        if (seen.length === 1) throw new Error('not yet');
      };
      removals.register({ remove: spy });
      expect((await remove(app.admin, user.userId)).status).toBe(500);
      expect((await browsers.me(app, user.apiKey)).status).toBe(200);
      expect((await remove(app.admin, user.userId)).status).toBe(204);
      const removed = { spaceId: user.spaceId, userId: user.userId, transferTo: null, keys: 0 };
      expect(seen).toEqual([removed, removed]);
    },
  );

  it('ends access to that space alone', async () => {
    const person = await app.addUser('MEMBER');
    const elsewhere = await spaceAdmin();
    await accept(person, (await invitation(elsewhere, person)).id);
    const here = await inSpace(person, person.spaceId);
    const there = await inSpace(person, elsewhere.spaceId);
    const { cookie } = await browsers.signIn(app, person);
    await remove(app.admin, person.userId);
    expect(failed(await browsers.me(app, here.apiKey))).toEqual(UNAUTHORIZED);
    expect(failed(await browsers.me(app, person.apiKey))).toEqual(UNAUTHORIZED);
    expect((await browsers.me(app, there.apiKey)).body.space.id).toBe(elsewhere.spaceId);
    expect(failed(await browsers.refresh(app, cookie, { spaceId: person.spaceId }))).toEqual(FORBIDDEN);
  });

  verifies(
    'access.removed-member',
    'ends tokens for good: they stay dead when the person comes back',
    async () => {
      const person = await app.addUser('MEMBER');
      const other = await spaceAdmin();
      await accept(person, (await invitation(other, person)).id);
      const here = await inSpace(person, person.spaceId);
      await remove(app.admin, person.userId);
      await add(app.admin, { email: person.email, role: 'MEMBER' });
      expect(failed(await browsers.me(app, here.apiKey))).toEqual(UNAUTHORIZED);

      const lonely = await app.addUser('MEMBER');
      const { cookie, answer } = await browsers.signIn(app, lonely);
      await remove(app.admin, lonely.userId);
      await add(app.admin, { email: lonely.email, role: 'MEMBER' });
      expect(failed(await browsers.me(app, answer.accessToken))).toEqual(UNAUTHORIZED);
      expect(failed(await browsers.refresh(app, cookie))).toEqual(UNAUTHORIZED);
      await browsers.signIn(app, lonely);
    },
  );
});

describe('creating spaces', () => {
  verifies('access.spaces', 'can be limited to installation administrators', async () => {
    const closed = await TestApp.start({ database: app, env: { PLATFORM_SPACE_CREATION: 'admins' } });
    try {
      const create = (as: TestUser) => closed.request('POST', '/api/spaces', { as, body: { name: 'New' } });
      const mayCreate = async (as: TestUser) => (await browsers.me(closed, as.apiKey)).body.canCreateSpaces;
      expect(failed(await create(app.outsider))).toEqual(FORBIDDEN);
      expect(await mayCreate(app.outsider)).toBe(false);
      expect((await create(app.admin)).status).toBe(201);
      expect(await mayCreate(app.admin)).toBe(true);
    } finally {
      await closed.close();
    }
  });

  it('many of them leaves a sign-in small', async () => {
    const user = await spaceAdmin();
    await app.sql(
      `with made as (insert into space (name) select 'Space ' || n from generate_series(1, 300) n returning id)
       insert into membership (space_id, user_id, role) select id, $1, 'ADMIN' from made`,
      [user.userId],
    );
    const { answer, cookie } = await browsers.signIn(app, user);
    expect(answer.spaces).toHaveLength(200);
    const { body: page } = await app.request<Page<SpaceSummary>>('GET', '/api/spaces?limit=1', { as: user });
    const beyond = page.items[0]?.id ?? '';
    expect(answer.spaces.map(({ id }) => id)).not.toContain(beyond);
    expect((await browsers.refresh(app, cookie, { spaceId: beyond })).body.space.id).toBe(beyond);
  });
});

describe('a principal without a request', () => {
  it('is the person with the role of this moment', async () => {
    const identity = app.get(IdentityService);
    const user = await app.addUser('MEMBER');
    expect(await identity.findPrincipal(user.spaceId, user.userId)).toEqual({
      kind: 'user',
      userId: user.userId,
      spaceId: user.spaceId,
      role: 'MEMBER',
      credential: { kind: 'internal', id: user.userId },
      causationRunId: null,
    });
    await patch(app.admin, user.userId, { role: 'ADMIN' });
    expect(await identity.findPrincipal(user.spaceId, user.userId)).toMatchObject({ role: 'ADMIN' });
  });

  it('does not accept people who are not members, or no longer', async () => {
    const identity = app.get(IdentityService);
    const user = await app.addUser('MEMBER');
    expect(await identity.findPrincipal(app.outsider.spaceId, user.userId)).toBeNull();
    expect(await identity.findPrincipal(user.spaceId, UNKNOWN_ID)).toBeNull();
    await remove(app.admin, user.userId);
    expect(await identity.findPrincipal(user.spaceId, user.userId)).toBeNull();
  });
});

describe('an upgrade', () => {
  it('makes only the first admin an installation administrator', async () => {
    const identity = app.get(IdentityService);
    const migration = new InstallationAdminsAndInvitations1763600000010();
    const db = app.get(DataSource).createQueryRunner();
    await db.startTransaction();
    try {
      await migration.down(db);
      // Older than the first admin, but an admin of nothing.
      await db.query(`update platform_user set created_at = created_at - interval '1 day' where id = $1`, [
        app.member.userId,
      ]);
      await migration.up(db);
      expect(await identity.isInstallationAdmin(app.admin.userId, db.manager)).toBe(true);
      expect(await identity.isInstallationAdmin(app.member.userId, db.manager)).toBe(false);
      expect(await identity.isInstallationAdmin(app.outsider.userId, db.manager)).toBe(false);
    } finally {
      await db.rollbackTransaction();
      await db.release();
    }
  });
});
