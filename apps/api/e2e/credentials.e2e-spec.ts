import { createHmac, randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import {
  KEY_SCOPES,
  type ApiKey,
  type ChangePasswordResponse,
  type CreatedApiKey,
  type InstalledApplication,
  type KeyScope,
  type Page,
  type PersonalApiKey,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { hashSecret } from '../src/infra/crypto/api-tokens.ts';
import { SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { shopManifest } from './harness/applications.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
import { SignIns, bearer, cookieOf, sessionIdOf } from './harness/sign-ins.ts';
import { verifies } from './verifies.ts';

const browsers = new SignIns();
let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const endGrace = (cookie: string) =>
  app.sql(`update refresh_session set previous_valid_until = clock_timestamp() where id = $1`, [
    sessionIdOf(cookie),
  ]);

describe('a refresh token that was never issued', () => {
  const statusesAfter = async (made: (cookie: string) => string | Promise<string>) => {
    const { cookie } = await browsers.signIn(app, app.member);
    const forged = await browsers.refresh(app, await made(cookie));
    return [forged.status, (await browsers.refresh(app, cookie)).status];
  };

  verifies('access.refresh.forged', 'does not end the session whose id it names', async () => {
    const invented = (cookie: string) =>
      `platform_refresh=${sessionIdOf(cookie)}.${randomBytes(32).toString('base64url')}`;
    expect(await statusesAfter(invented)).toEqual([401, 200]);
  });

  it('does not end it with the secret of another session of the service either', async () => {
    const borrowed = async (cookie: string) => {
      const own = await browsers.signIn(app, app.outsider);
      return `platform_refresh=${sessionIdOf(cookie)}.${own.cookie.split('.')[1] ?? ''}`;
    };
    expect(await statusesAfter(borrowed)).toEqual([401, 200]);
  });

  it('leaves the previous token its 30 seconds', async () => {
    const { cookie } = await browsers.signIn(app, app.member);
    const second = await browsers.refresh(app, cookie);
    const forged = `platform_refresh=${sessionIdOf(cookie)}.${'A'.repeat(43)}`;
    expect((await browsers.refresh(app, forged)).status).toBe(401);
    expect((await browsers.refresh(app, cookie)).status).toBe(200);
    expect((await browsers.refresh(app, cookieOf(second))).status).toBe(200);
  });
});

describe('a refresh token that was issued and replaced', () => {
  verifies('access.refresh.rotation', 'ends the session, however many came after it', async () => {
    const { cookie } = await browsers.signIn(app, app.member);
    let last = cookie;
    for (let i = 0; i < 3; i++) last = cookieOf(await browsers.refresh(app, last));
    expect((await browsers.refresh(app, cookie)).status).toBe(401);
    expect((await browsers.refresh(app, last)).status).toBe(401);
  });

  it('of the version before, whose secrets carry no mark, still works and is replaced by one that does', async () => {
    const { cookie } = await browsers.signIn(app, app.member);
    const id = sessionIdOf(cookie);
    const old = createHmac('sha256', 'before').update(id).digest('base64url');
    await app.sql('update refresh_session set token_hash = $2 where id = $1', [id, hashSecret(old)]);
    const marked = await browsers.refresh(app, `platform_refresh=${id}.${old}`);
    expect(marked.status).toBe(200);
    const next = await browsers.refresh(app, cookieOf(marked));
    await endGrace(cookie);
    expect((await browsers.refresh(app, cookieOf(marked))).status).toBe(401);
    expect((await browsers.refresh(app, cookieOf(next))).status).toBe(401);
  });
});

const createKey = (credential: string, body: object) =>
  app.request<CreatedApiKey>('POST', '/api/api-keys', { as: null, body, headers: bearer(credential) });
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const messageOf = (answer: Answer<unknown>) => (answer.body as { message?: string }).message;

describe('an API key', () => {
  const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';
  const call = (key: string, method: string, path: string, body?: object) =>
    app.request(method, path, { as: null, headers: bearer(key), body });
  const keyWith = async (as: TestUser, ...scopes: KeyScope[]) =>
    (await app.client(as).apiKeys.create({ name: scopes.join(), scopes })).key;

  verifies('access.api-key.person', 'is no person: what outlives it takes a sign-in', async () => {
    const { apiKey, password } = app.admin;
    const email = 'made-by-a-key@example.com';
    const attempts = [
      call(apiKey, 'POST', '/api/api-keys', { name: 'copy', scopes: ['invoke'] }),
      call(apiKey, 'POST', '/api/auth/password', {
        currentPassword: password,
        newPassword: 'a new password',
      }),
      call(apiKey, 'GET', '/api/auth/invitations'),
      call(apiKey, 'POST', `/api/auth/invitations/${UNKNOWN_ID}/accept`, {}),
      call(apiKey, 'POST', `/api/auth/invitations/${UNKNOWN_ID}/decline`, {}),
      call(apiKey, 'POST', '/api/members', { email, role: 'ADMIN' }),
      call(apiKey, 'PATCH', `/api/members/${app.member.userId}`, { role: 'ADMIN' }),
      call(apiKey, 'POST', '/api/spaces', { name: 'of a key' }),
    ];
    const refusals = (await Promise.all(attempts)).map((answer) => [answer.status, messageOf(answer)]);
    expect(refusals).toEqual(attempts.map(() => [403, 'No API key may make this call: sign in to make it']));
  });

  verifies(
    'access.api-key.scopes',
    'does what its scopes allow, and a 403 names the missing one',
    async () => {
      const paths = {
        invoke: ['GET', '/models/v1/models'],
        use: ['GET', '/api/data/shop/orders/rows'],
        manage: ['GET', '/api/events/subscriptions'],
        administer: ['GET', '/api/audit'],
      } as const;
      for (const scope of KEY_SCOPES) {
        const key = await keyWith(app.admin, scope);
        for (const [needed, [method, path]] of Object.entries(paths)) {
          const answer = await call(key, method, path);
          if (needed === scope) expect([scope, needed, answer.status]).not.toContain(403);
          else expect([scope, needed, answer.status, answer.text]).toContain(403);
          if (needed !== scope) expect(answer.text).toContain(`This API key lacks the scope ${needed}`);
        }
        expect((await call(key, 'GET', '/api/auth/me')).status).toBe(200);
      }
      const both = await keyWith(app.admin, 'invoke', 'administer');
      expect((await call(both, 'GET', '/api/audit')).status).toBe(200);
      expect((await call(both, 'GET', '/models/v1/models')).status).toBe(200);
    },
  );

  verifies('access.api-key.scopes', 'never may do more than its owner, now or later', async () => {
    const owner = await app.addUser('ADMIN');
    const key = await keyWith(owner, 'administer');
    expect((await call(key, 'GET', '/api/audit')).status).toBe(200);
    await app.client().members.update(owner.userId, { role: 'MEMBER' });
    expect((await call(key, 'GET', '/api/audit')).status).toBe(403);
    const refused = await app.request('POST', '/api/api-keys', {
      as: owner,
      body: { name: 'more', scopes: ['use', 'administer'] },
    });
    expect([refused.status, messageOf(refused)]).toEqual([
      400,
      'scopes must not include administer: only admins of the space have that right',
    ]);
  });

  verifies('access.api-key.person', 'takes the system keys that it made with it', async () => {
    const made = await app.client().apiKeys.create({ name: 'deploy', scopes: ['administer'] });
    const install = await call(
      made.key,
      'POST',
      '/api/applications',
      shopManifest({ identifier: 'deployed' }),
    );
    const { systemKey } = install.body as unknown as InstalledApplication;
    const emission = { appIdentifier: 'deployed', event: 'order.created', payload: {} };
    const emit = () => call(systemKey, 'POST', '/api/events/emit', emission);
    expect((await emit()).status).not.toBe(401);
    await app.client().apiKeys.delete(made.id);
    const refused = await emit();
    expect([refused.status, messageOf(refused)]).toEqual([
      401,
      'This system key was replaced or revoked, or the API key that made it has ended',
    ]);
    expect((await app.client().applications.get('deployed')).systemKeyPrefix).toBeNull();
  });

  it.each([[undefined], [[]], [['everything']], [['use', 'use']], ['use']])(
    'is not created with the scopes %j',
    async (scopes) => {
      const refused = await app.request('POST', '/api/api-keys', { body: { name: 'k', scopes } });
      expect(refused.status).toBe(400);
      expect(messageOf(refused)).toContain('scopes');
    },
  );

  verifies('access.api-key.scopes', 'that is older than scopes does what its owner may', async () => {
    const [before] = await app.sql<{ scopes: KeyScope[] }>(
      `insert into api_key (space_id, user_id, name, public_id, secret_hash)
       values ($1, $2, 'old', 'old', '\\x00') returning scopes`,
      [app.member.spaceId, app.member.userId],
    );
    expect(before?.scopes).toEqual(['invoke', 'use', 'manage']);
  });

  it('is not created beside the end of the sign-in that creates it', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await app.addUser('MEMBER');
      const { answer } = await browsers.signIn(app, user);
      const body = { currentPassword: user.password, newPassword: 'a new password', revokeApiKeys: 'all' };
      await app.sql('delete from rate_window');
      const [changed, created] = await Promise.all([
        app.request('POST', '/api/auth/password', { as: user, body }),
        createKey(answer.accessToken, { name: 'CI', scopes: ['use'] }),
      ]);
      expect(changed.status).toBe(200);
      expect([201, 401]).toContain(created.status);
      const valid = await app.sql('select 1 from api_key where user_id = $1 and revoked_at is null', [
        user.userId,
      ]);
      expect(valid).toEqual([]);
    }
  });
});

describe('changing the password', () => {
  interface TwoSpaces {
    user: TestUser;
    accessToken: string;
    here: CreatedApiKey;
    there: CreatedApiKey;
  }

  /** A person with a key in each of two spaces, beside the one of the harness. */
  async function inTwoSpaces(): Promise<TwoSpaces> {
    const user = await app.addUser('MEMBER');
    const space = await app.request<{ id: string }>('POST', '/api/spaces', { as: user, body: { name: 'B' } });
    const { cookie, answer } = await browsers.signIn(app, user);
    const here = (await createKey(answer.accessToken, { name: 'here', scopes: ['manage'] })).body;
    const { accessToken } = (await browsers.refresh(app, cookie, { spaceId: space.body.id })).body;
    return {
      user,
      accessToken,
      here,
      there: (await createKey(accessToken, { name: 'there', scopes: ['manage'] })).body,
    };
  }

  async function change({ user, accessToken }: TwoSpaces, revokeApiKeys?: unknown) {
    await app.sql('delete from rate_window');
    const newPassword = randomBytes(9).toString('base64url');
    const answer = await app.request<ChangePasswordResponse>('POST', '/api/auth/password', {
      as: null,
      body: {
        currentPassword: user.password,
        newPassword,
        ...(revokeApiKeys !== undefined && { revokeApiKeys }),
      },
      headers: bearer(accessToken),
    });
    if (answer.status === 200) user.password = newPassword;
    return answer;
  }

  const works = async (key: string) => (await browsers.me(app, key)).status === 200;

  verifies('access.password.keys', 'returns the API keys of all spaces, which stay valid', async () => {
    const person = await inTwoSpaces();
    const { body } = await change(person);
    expect(body.apiKeys.items.map(({ name, space }) => [name, space.name])).toEqual([
      ['there', 'B'],
      ['here', `Space of ${app.admin.email}`],
      ['test', `Space of ${app.admin.email}`],
    ]);
    expect(body.apiKeys.nextCursor).toBeNull();
    expect(await Promise.all([person.here.key, person.there.key].map(works))).toEqual([true, true]);
  });

  verifies('access.password.keys', 'revokes those that the request names, in whichever space', async () => {
    const person = await inTwoSpaces();
    const { body } = await change(person, [person.here.id]);
    expect(body.apiKeys.items.map(({ name }) => name)).toEqual(['there', 'test']);
    expect(await Promise.all([person.here.key, person.there.key].map(works))).toEqual([false, true]);
    // Once more, as a client does whose answer was lost.
    expect((await change(person, [person.here.id])).status).toBe(200);
    const [entry] = await app.sql(
      `select space_id, actor_user_id, details->>'prefix' as prefix from audit_entry
       where action = 'api-key.revoke' and target_id = $1`,
      [person.here.id],
    );
    expect(entry).toEqual({
      space_id: person.user.spaceId,
      actor_user_id: person.user.userId,
      prefix: person.here.prefix,
    });
  });

  verifies('access.password.keys', 'revokes all of them', async () => {
    const person = await inTwoSpaces();
    const { body } = await change(person, 'all');
    expect(body.apiKeys.items).toEqual([]);
    const all = [person.here.key, person.there.key, person.user.apiKey];
    expect(await Promise.all(all.map(works))).toEqual([false, false, false]);
    expect(await works(person.accessToken)).toBe(true);
  });

  it('changes nothing if a key is not one of his own', async () => {
    const person = await inTwoSpaces();
    const strange = (await app.request<Page<ApiKey>>('GET', '/api/api-keys')).body.items[0]?.id ?? '';
    for (const [revokeApiKeys, problem] of [
      [[person.here.id, strange], 'revokeApiKeys[1] must be the id of one of your API keys'],
      ['some', 'revokeApiKeys must be "all" or a list of at most 1000 ids'],
      [['no-uuid'], 'revokeApiKeys must be "all" or a list of at most 1000 ids'],
      [Array<string>(1001).fill(strange), 'revokeApiKeys must be "all" or a list of at most 1000 ids'],
    ] as const) {
      const refused = await change(person, revokeApiKeys);
      expect([refused.status, messageOf(refused)]).toEqual([400, problem]);
    }
    expect(await works(person.here.key)).toBe(true);
    await browsers.signIn(app, person.user);
  });

  it('takes a password that differs from the present one', async () => {
    const user = await app.addUser('MEMBER');
    await app.sql('delete from rate_window');
    const same = await app.request('POST', '/api/auth/password', {
      as: user,
      body: { currentPassword: user.password, newPassword: user.password },
    });
    expect([same.status, messageOf(same)]).toEqual([400, 'newPassword must differ from currentPassword']);
  });

  verifies('access.password.keys', 'is prepared by a list of the keys in all spaces', async () => {
    const { accessToken, user } = await inTwoSpaces();
    const list = (credential: string, query = '') =>
      app.request<Page<PersonalApiKey>>('GET', `/api/auth/api-keys${query}`, {
        as: null,
        headers: bearer(credential),
      });
    const first = await list(accessToken, '?limit=2');
    const rest = await list(accessToken, `?limit=2&cursor=${first.body.nextCursor}`);
    expect([...first.body.items, ...rest.body.items].map(({ name }) => name)).toEqual([
      'there',
      'here',
      'test',
    ]);
    // A key speaks for the person in one space.
    expect((await list(user.apiKey)).body.items.map(({ name }) => name)).toEqual(['here', 'test']);
  });
});

describe('signing in', () => {
  it('costs the same for an unknown address as for a wrong password', async () => {
    const cheapest = async (email: string) => {
      const costs: number[] = [];
      for (let i = 0; i < 5; i++)
        costs.push(
          await cpuMsOf(async () => {
            expect((await browsers.login(app, { email, password: 'not the password' })).status).toBe(401);
          }),
        );
      return Math.min(...costs);
    };
    const known = await cheapest(app.member.email);
    const unknown = await cheapest('nobody@nowhere.example');
    // Without a hash to compute it would be a tenth.
    expect(unknown).toBeGreaterThan(known / 3);
  });
});

describe('lists of people, keys, invitations and entries', () => {
  /** As many rows as no list may look through. */
  const MANY = 20_000;

  beforeAll(async () => {
    await app.sql(
      `with people as (
         insert into platform_user (email, name, password_hash)
         select 'many-' || n || '@example.net', 'Many ' || n, 'x' from generate_series(1, ${MANY}) n returning id
       )
       insert into membership (space_id, user_id, role, removed_at)
       select $1, id, 'MEMBER', case when random() < 0.5 then clock_timestamp() end from people`,
      [app.admin.spaceId],
    );
    await app.sql(
      `with spaces as (insert into space (name) select 'Many' from generate_series(1, ${MANY}) returning id)
       insert into membership (space_id, user_id, role) select id, $1, 'MEMBER' from spaces`,
      [app.admin.userId],
    );
    await app.sql(
      `insert into api_key (space_id, user_id, name, public_id, secret_hash, revoked_at)
       select $1, $2, 'Many', 'many' || n, '\\x00', case when n % 10 > 0 then clock_timestamp() end
       from generate_series(1, ${MANY}) n`,
      [app.admin.spaceId, app.admin.userId],
    );
    await app.sql(
      `insert into invitation (space_id, email, role, invited_by, ended_at, outcome)
       select $1, n || '@example.net', 'MEMBER', $2, clock_timestamp(), 'DECLINED' from generate_series(1, ${MANY}) n`,
      [app.admin.spaceId, app.admin.userId],
    );
    await app.sql(
      `insert into audit_entry (space_id, actor_user_id, action, target_type, details, at)
       select $1, $2, 'many.do', 'many', '{}', clock_timestamp() from generate_series(1, ${MANY})`,
      [app.admin.spaceId, app.admin.userId],
    );
    // Entries that a filter finds behind many others.
    await app.request('POST', '/api/api-keys', { body: { name: 'last', scopes: ['use'] } });
    await app.sql('analyze');
  });

  interface Plan {
    'Node Type': string;
    'Actual Rows': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
  }

  /** Rows that the statements of a request look at, each run once more with its own parameters. */
  async function rowsLookedAt(path: string): Promise<number> {
    const query = jest.spyOn(app.get(DataSource), 'query');
    let statements: [string, unknown[]?][];
    try {
      expect((await app.request('GET', path)).status).toBe(200);
      statements = query.mock.calls.map(([text, parameters]) => [text, parameters as unknown[] | undefined]);
    } finally {
      query.mockRestore();
    }
    let looked = 0;
    for (const [text, parameters] of statements) {
      if (!/^\s*select/i.test(text)) continue;
      const [explained] = await app.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, format json) ${text}`,
        parameters,
      );
      looked += lookedAt(explained?.['QUERY PLAN'][0].Plan);
    }
    return looked;
  }

  function lookedAt(plan: Plan | undefined): number {
    if (!plan) return 0;
    const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
    return own + (plan.Plans ?? []).reduce((sum, child) => sum + lookedAt(child), 0);
  }

  verifies('access.lists', 'look at a page of rows, however many there are', async () => {
    const early = new Date(Date.now() - 3_600_000).toISOString();
    for (const path of [
      '/api/members?limit=20',
      '/api/spaces?limit=20',
      '/api/api-keys?limit=20',
      '/api/auth/api-keys?limit=20',
      '/api/invitations?limit=20',
      '/api/auth/invitations?limit=20',
      '/api/audit?limit=20',
      `/api/audit?limit=20&actor=${app.member.userId}`,
      '/api/audit?limit=20&action=member.add',
      `/api/audit?limit=20&to=${early}`,
      `/api/audit?limit=20&from=${inHours(1)}`,
      '/api/auth/me',
    ]) {
      const looked = await rowsLookedAt(path);
      // A page of 20, or of 200 spaces, in each of a few steps of the plan.
      expect([path, looked < 1000 ? 'few' : looked]).toEqual([path, 'few']);
    }
  });
});

describe('the audit log', () => {
  it('keeps entries about runs, and about calls of methods, as long as runs, and all others', async () => {
    await app.sql(
      `insert into audit_entry (id, space_id, actor_user_id, action, target_type, details, at)
       select uuid_v7_floor(clock_timestamp() - age * interval '1 day'), $1, $2, action, target, '{"old": true}', clock_timestamp()
       from (values (400, 'run.cancel', 'run'), (401, 'tool.invoke', 'tool'), (402, 'tool.update', 'tool')) as e(age, action, target)`,
      [app.admin.spaceId, app.admin.userId],
    );
    await app.get(SweeperWorker).sweep();
    const left = await app.sql(`select action from audit_entry where details->>'old' = 'true'`);
    expect(left).toEqual([{ action: 'tool.update' }]);
  });
});
