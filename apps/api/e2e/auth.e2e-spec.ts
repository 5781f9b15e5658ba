import { once } from 'node:events';
import { connect } from 'node:net';
import type {
  AddedMember,
  ApiKey,
  AuditEntry,
  CreatedApiKey,
  Me,
  Member,
  Page,
  SignInResponse,
  SpaceSummary,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { mintKey, parseKey } from '../src/infra/crypto/api-tokens.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { lockWait } from './harness/lock-waits.ts';
import { verifies } from './verifies.ts';

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_RATE_LIMIT: '1200' } });
});
afterAll(() => app.close());

/** Time passes, for the limits of sign-ins. */
const letPass = (ms: number) =>
  app.sql(`update rate_window set started_at = started_at - $1 * interval '1 millisecond'`, [ms]);

interface Session {
  cookie: string;
  answer: SignInResponse;
}

const cookieOf = (answer: Answer<unknown>) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

function login(email: string, password: string): Promise<Answer<SignInResponse>> {
  return app.request<SignInResponse>('POST', '/api/auth/login', { as: null, body: { email, password } });
}

/** Signs in without coming near the limit of sign-ins. */
async function signIn(user: TestUser, password = user.password): Promise<Session> {
  await letPass(120_000);
  const answer = await login(user.email, password);
  expect(answer.status).toBe(200);
  return { cookie: cookieOf(answer), answer: answer.body };
}

function refresh(cookie: string, body: object = {}): Promise<Answer<SignInResponse>> {
  return app.request<SignInResponse>('POST', '/api/auth/refresh', {
    as: null,
    body,
    headers: { Cookie: cookie },
  });
}

function me(credential: string): Promise<Answer<Me>> {
  return app.request<Me>('GET', '/api/auth/me', {
    as: null,
    headers: { Authorization: `Bearer ${credential}` },
  });
}

function failed(answer: Answer<unknown>) {
  const { success, code } = answer.body as { success: unknown; code: unknown };
  return { status: answer.status, success, code };
}

const UNAUTHORIZED = { status: 401, success: false, code: 'UNAUTHORIZED' };
const FORBIDDEN = { status: 403, success: false, code: 'FORBIDDEN' };
const NOT_FOUND = { status: 404, success: false, code: 'NOT_FOUND' };
const INVALID = { status: 400, success: false, code: 'VALIDATION_ERROR' };
const CONFLICT = { status: 409, success: false, code: 'CONFLICT' };

describe('signing in', () => {
  verifies(
    ['access.access-token', 'access.refresh.cookie'],
    'answers a token, the person, the space and a cookie that scripts cannot read',
    async () => {
      await letPass(120_000);
      const answer = await login(app.admin.email.toUpperCase(), app.admin.password);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toEqual({
        accessToken: expect.stringMatching(/^ey/) as string,
        expiresIn: 900,
        user: { id: app.admin.userId, email: app.admin.email, name: app.admin.email.slice(0, 6) },
        space: { id: app.admin.spaceId, name: `Space of ${app.admin.email}`, role: 'ADMIN' },
        spaces: [{ id: app.admin.spaceId, name: `Space of ${app.admin.email}`, role: 'ADMIN' }],
        passwordTemporary: false,
        installationAdmin: true,
        canCreateSpaces: true,
      });
      const [cookie = ''] = answer.headers.getSetCookie();
      expect(cookie).toMatch(
        /^platform_refresh=[\w.-]+; Max-Age=2592000; Path=\/api\/auth; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      );
      const who = await me(answer.body.accessToken);
      expect(who.status).toBe(200);
      expect(who.body).toMatchObject({ user: { id: app.admin.userId }, credential: 'access-token' });
    },
  );

  it('responds alike to a wrong password and an unknown account', async () => {
    await letPass(120_000);
    const wrong = await login(app.admin.email, 'not the password');
    const unknown = await login('nobody@example.com', 'not the password');
    expect(failed(wrong)).toEqual(UNAUTHORIZED);
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  it.each(['login', 'refresh', 'logout'])('%s takes JSON alone', async (route) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      const empty = await app.request('POST', `/api/auth/${route}`, {
        as: null,
        headers: { 'Content-Type': type },
      });
      expect(failed(empty)).toEqual(INVALID);
      const filled = await app.request('POST', `/api/auth/${route}`, {
        as: null,
        raw: '{}',
        headers: { 'Content-Type': type },
      });
      expect(failed(filled)).toEqual(INVALID);
    }
  });

  it('names what is wrong with the body', async () => {
    const answer = await app.request('POST', '/api/auth/login', { as: null, body: { email: 'a', otp: 1 } });
    expect(failed(answer)).toEqual(INVALID);
    expect(answer.body.message).toMatch(/email must be an e-mail address/);
    expect(answer.body.message).toMatch(/password is required/);
    expect(answer.body.message).toMatch(/otp is not a known field/);
  });

  it('ignores an invalid credential on public routes', async () => {
    const headers = { Authorization: 'Bearer nonsense' };
    expect((await app.request('GET', '/api/health/live', { as: null, headers })).status).toBe(200);
    expect((await app.fetch('HEAD', '/api/health/live', { as: null })).status).toBe(200);
  });

  it('goes to the space used last', async () => {
    const user = await app.addUser('MEMBER');
    const created = await app.request<SpaceSummary>('POST', '/api/spaces', {
      as: user,
      body: { name: 'Second' },
    });
    const first = await signIn(user);
    expect(first.answer.space).toMatchObject({ id: user.spaceId, role: 'MEMBER' });
    await refresh(first.cookie, { spaceId: created.body.id });
    expect((await signIn(user)).answer.space).toEqual({ id: created.body.id, name: 'Second', role: 'ADMIN' });
  });

  it('is refused to a person who belongs nowhere', async () => {
    const user = await app.addUser('MEMBER');
    await app.request('DELETE', `/api/members/${user.userId}`);
    await letPass(120_000);
    expect(failed(await login(user.email, user.password))).toEqual(FORBIDDEN);
  });

  verifies(
    'access.sign-in.throttled',
    'is slowed down: the eleventh attempt within a minute waits, the right one too',
    async () => {
      const user = await app.addUser('MEMBER');
      await letPass(120_000);
      const began = performance.now();
      for (let i = 0; i < 10; i++) expect((await login(user.email, 'a guess')).status).toBe(401);
      const refused = await login(user.email, user.password);
      const took = (performance.now() - began) / 1_000;
      expect(failed(refused)).toEqual({ status: 429, success: false, code: 'RATE_LIMITED' });
      // A full window, and a tenth of the next for one attempt to fade, less what the ten attempts took.
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(60 - took);
      expect(wait).toBeLessThanOrEqual(66);
      await letPass(wait * 1000);
      expect((await login(user.email, user.password)).status).toBe(200);
    },
  );

  verifies('access.sign-in.throttled', 'is slowed down too when the guesses come at once', async () => {
    const user = await app.addUser('MEMBER');
    await letPass(120_000);
    const answers = await Promise.all(Array.from({ length: 15 }, () => login(user.email, 'a guess')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
  });
});

describe('staying signed in', () => {
  verifies('access.refresh.rotation', 'replaces the token at every use', async () => {
    const { cookie } = await signIn(app.member);
    const second = await refresh(cookie);
    expect(second.status).toBe(200);
    expect(cookieOf(second)).not.toBe(cookie);
    const third = await refresh(cookieOf(second));
    expect(third.status).toBe(200);
    expect((await me(third.body.accessToken)).body.user.id).toBe(app.member.userId);
  });

  verifies(
    'access.refresh.rotation',
    'gives the same successor again for 30 s, also to several at once',
    async () => {
      const { cookie } = await signIn(app.member);
      const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(cookie)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const [successor = '', ...others] = new Set(answers.map(cookieOf));
      expect(others).toEqual([]);
      expect((await refresh(successor)).status).toBe(200);
    },
  );

  verifies('access.refresh.rotation', 'gives the previous token 30 seconds', async () => {
    const { cookie } = await signIn(app.member);
    await refresh(cookie);
    const [left] = await app.sql<{ seconds: number }>(
      `select extract(epoch from previous_valid_until - clock_timestamp())::float8 as seconds from refresh_session
       where id = $1`,
      [sessionId(cookie)],
    );
    expect(left?.seconds).toBeGreaterThan(20);
    expect(left?.seconds).toBeLessThanOrEqual(30);
  });

  verifies(
    'access.refresh.rotation',
    'takes an older token for stolen and ends the session, access tokens included',
    async () => {
      const { cookie, answer } = await signIn(app.member);
      const second = await refresh(cookie);
      await app.sql(`update refresh_session set previous_valid_until = clock_timestamp() where id = $1`, [
        sessionId(cookie),
      ]);
      const reused = await refresh(cookie);
      expect(failed(reused)).toEqual(UNAUTHORIZED);
      expect(failed(await refresh(cookieOf(second)))).toEqual(UNAUTHORIZED);
      expect(failed(await me(second.body.accessToken))).toEqual(UNAUTHORIZED);
      expect(failed(await me(answer.accessToken))).toEqual(UNAUTHORIZED);
    },
  );

  it('ends after 30 days without use', async () => {
    const { cookie } = await signIn(app.member);
    const [left] = await app.sql<{ days: number }>(
      `select extract(epoch from expires_at - clock_timestamp())::float8 / 86400 as days from refresh_session
       where id = $1`,
      [sessionId(cookie)],
    );
    expect(left?.days).toBeCloseTo(30, 2);
    await app.sql('update refresh_session set expires_at = clock_timestamp() where id = $1', [
      sessionId(cookie),
    ]);
    expect(failed(await refresh(cookie))).toEqual(UNAUTHORIZED);
  });

  it.each(['', 'platform_refresh=nonsense', `platform_refresh=${UNKNOWN_ID}.${'A'.repeat(43)}`])(
    'asks for a cookie that opens something: %j',
    async (cookie) => expect(failed(await refresh(cookie))).toEqual(UNAUTHORIZED),
  );

  verifies(
    'access.refresh.space',
    'switches to another space of the same user, and to no other',
    async () => {
      const user = await app.addUser('MEMBER');
      const { body: space } = await app.request<SpaceSummary>('POST', '/api/spaces', {
        as: user,
        body: { name: 'Mine' },
      });
      const { cookie } = await signIn(user);
      expect(failed(await refresh(cookie, { spaceId: app.outsider.spaceId }))).toEqual(FORBIDDEN);
      expect(failed(await refresh(cookie, { spaceId: UNKNOWN_ID }))).toEqual(NOT_FOUND);
      expect(failed(await refresh(cookie, { spaceId: 'no uuid' }))).toEqual(NOT_FOUND);

      const switched = await refresh(cookie, { spaceId: space.id });
      expect(switched.body.space).toEqual({ id: space.id, name: 'Mine', role: 'ADMIN' });
      expect(switched.body.spaces.map(({ id }) => id)).toEqual([user.spaceId, space.id]);
      expect((await me(switched.body.accessToken)).body.space.id).toBe(space.id);
      expect((await refresh(cookieOf(switched))).body.space.id).toBe(space.id);
    },
  );

  it('continues in another space when a person is removed from the current one', async () => {
    const user = await app.addUser('MEMBER');
    const { body: space } = await app.request<SpaceSummary>('POST', '/api/spaces', {
      as: user,
      body: { name: 'Mine' },
    });
    const { cookie } = await signIn(user);
    await app.request('DELETE', `/api/members/${user.userId}`);
    expect((await refresh(cookie)).body.space.id).toBe(space.id);
  });

  verifies('access.logout', 'ends by signing out', async () => {
    const { cookie, answer } = await signIn(app.member);
    const out = await app.request('POST', '/api/auth/logout', {
      as: null,
      body: {},
      headers: { Cookie: cookie },
    });
    expect(out.status).toBe(200);
    expect(out.body).toEqual({});
    expect(out.headers.getSetCookie()[0]).toMatch(
      /^platform_refresh=; Path=\/api\/auth; Expires=Thu, 01 Jan 1970/,
    );
    expect(failed(await refresh(cookie))).toEqual(UNAUTHORIZED);
    expect(failed(await me(answer.accessToken))).toEqual(UNAUTHORIZED);
    expect((await app.request('POST', '/api/auth/logout', { as: null, body: {} })).status).toBe(200);
  });

  it('stores no refresh token in plain text', async () => {
    const { cookie } = await signIn(app.member);
    const secret = cookie.split('.')[1] ?? '';
    const stored = await app.sql<{ row: string }>('select refresh_session::text as row from refresh_session');
    expect(secret).toHaveLength(43);
    expect(stored.length).toBeGreaterThan(0);
    for (const { row } of stored) {
      expect(row).not.toContain(secret);
      expect(row).not.toContain(Buffer.from(secret).toString('hex'));
      expect(row).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
    }
  });

  it('sweeps away what ended long ago', async () => {
    const { cookie } = await signIn(app.member);
    const fresh = await signIn(app.member);
    await app.sql(
      `update refresh_session set revoked_at = clock_timestamp() - interval '31 days' where id = $1`,
      [sessionId(cookie)],
    );
    await app.sweep();
    const left = await app.sql('select id from refresh_session where id = any($1)', [
      [sessionId(cookie), sessionId(fresh.cookie)],
    ]);
    expect(left).toEqual([{ id: sessionId(fresh.cookie) }]);
  });
});

const sessionId = (cookie: string) => cookie.replace('platform_refresh=', '').split('.')[0] ?? '';

describe('changing the password', () => {
  verifies('access.password', 'asks for the present one, and ends the other sign-ins', async () => {
    const user = await app.addUser('MEMBER');
    const here = await signIn(user);
    const elsewhere = await signIn(user);
    const change = (currentPassword: string, newPassword: string) =>
      app.request('POST', '/api/auth/password', {
        as: null,
        body: { currentPassword, newPassword },
        headers: { Authorization: `Bearer ${here.answer.accessToken}` },
      });

    const wrong = await change('not the password', 'a new password');
    expect(failed(wrong)).toEqual(INVALID);
    expect(wrong.body.message).toBe('currentPassword is wrong');
    expect(failed(await change(user.password, '9 letters'))).toEqual(INVALID);
    expect((await me(elsewhere.answer.accessToken)).status).toBe(200);

    const changed = await change(user.password, 'a new password');
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id: user.userId, email: user.email, name: user.email.slice(0, 6) });
    expect(failed(await refresh(elsewhere.cookie))).toEqual(UNAUTHORIZED);
    expect(failed(await me(elsewhere.answer.accessToken))).toEqual(UNAUTHORIZED);
    expect((await refresh(here.cookie)).status).toBe(200);

    await letPass(120_000);
    expect(failed(await login(user.email, user.password))).toEqual(UNAUTHORIZED);
    expect((await login(user.email, 'a new password')).status).toBe(200);
  });

  verifies('access.password', 'also ends a sign-in that is under way with the old one', async () => {
    const user = await app.addUser('MEMBER');
    await letPass(120_000);
    const change = app.get(DataSource).createQueryRunner();
    await change.startTransaction();
    try {
      const sql = `update platform_user set password_hash = password_hash || 'x' where id = $1`;
      await change.query(sql, [user.userId]);
      const signingIn = login(user.email, user.password);
      await lockWait(app);
      await change.commitTransaction();
      expect(failed(await signingIn)).toEqual(UNAUTHORIZED);
    } finally {
      await change.release();
    }
  });

  it('cannot be used to guess the present one', async () => {
    const user = await app.addUser('MEMBER');
    await letPass(120_000);
    const guess = () =>
      app.request('POST', '/api/auth/password', {
        as: user,
        body: { currentPassword: 'a guess', newPassword: 'a new password' },
      });
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(400);
    expect((await guess()).status).toBe(429);
  });
});

describe('API keys', () => {
  const createKey = (as: TestUser, body: object = { name: 'CI', scopes: ['invoke'] }) =>
    app.request<CreatedApiKey>('POST', '/api/api-keys', { as, body });

  verifies(
    ['access.api-key.once', 'access.api-key'],
    'are shown once and recognised by their beginning',
    async () => {
      const created = await createKey(app.member);
      expect(created.status).toBe(201);
      const { key, prefix, id } = created.body;
      expect(key).toMatch(/^pk_[0-9A-Za-z]{54}$/);
      expect(prefix).toBe(key.slice(0, 15));
      expect(created.body).toMatchObject({ name: 'CI', expiresAt: null, lastUsedAt: null });

      expect((await me(key)).body).toMatchObject({ user: { id: app.member.userId }, credential: 'api-key' });
      const list = await app.request<Page<ApiKey>>('GET', '/api/api-keys', { as: app.member });
      expect(list.text).not.toContain(key.slice(15));
      const { key: _, ...listed } = created.body;
      expect(list.body.items.find((item) => item.id === id)).toEqual({
        ...listed,
        lastUsedAt: expect.stringMatching(/^\d{4}-/) as string,
      });
      const [stored] = await app.sql<{ row: string }>(
        'select api_key::text as row from api_key where id = $1',
        [id],
      );
      expect(stored?.row).not.toContain(parseKey(key)?.secret ?? 'no secret');
    },
  );

  it('write down their use at most once a minute', async () => {
    const { key, id } = (await createKey(app.member)).body;
    const lastUsed = async () =>
      (
        await app.sql<{ at: Date }>('select last_used_at as at from api_key where id = $1', [id])
      )[0]?.at.getTime();
    await me(key);
    const first = await lastUsed();
    await me(key);
    expect(await lastUsed()).toBe(first);
    await app.sql(`update api_key set last_used_at = last_used_at - interval '2 minutes' where id = $1`, [
      id,
    ]);
    await me(key);
    expect(await lastUsed()).toBeGreaterThanOrEqual(first ?? Infinity);
  });

  verifies('access.api-key', 'are refused with the reason: unknown, expired, revoked', async () => {
    const { key, id } = (await createKey(app.member)).body;
    const stranger = await me(mintKey('pk').key);
    expect(failed(stranger)).toEqual(UNAUTHORIZED);
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer');
    const messageOf = async (credential: string) => (await me(credential)).text;
    expect(await messageOf(mintKey('pk').key)).toContain('not known');
    expect(await messageOf(`${key.slice(0, -1)}!`)).toContain('not known');
    expect(await messageOf(mintKey('app').key)).toContain('not known');
    expect(await messageOf('nonsense')).toContain('The access token is not valid');

    await app.sql('update api_key set expires_at = clock_timestamp() where id = $1', [id]);
    expect(await messageOf(key)).toContain('This API key has expired');
    await app.sql('update api_key set expires_at = null where id = $1', [id]);
    expect((await me(key)).status).toBe(200);

    const revoked = await app.request('DELETE', `/api/api-keys/${id}`, { as: app.member });
    expect(revoked.status).toBe(204);
    expect(await messageOf(key)).toContain('This API key was revoked');
    expect(failed(await app.request('DELETE', `/api/api-keys/${id}`, { as: app.member }))).toEqual(NOT_FOUND);
    const list = await app.request<Page<ApiKey>>('GET', '/api/api-keys', { as: app.member });
    expect(list.body.items.map((item) => item.id)).not.toContain(id);
  });

  describe('that were valid at their last use', () => {
    /** A key that has been used, and is then revoked without the service's knowledge. */
    async function revokedKey(): Promise<string> {
      const { key, id } = (await createKey(app.member)).body;
      expect((await me(key)).status).toBe(200);
      await app.sql('update api_key set revoked_at = clock_timestamp() where id = $1', [id]);
      return key;
    }

    verifies('access.unauthorized', 'are refused before everything else, if they are revoked', async () => {
      const calls: [string, string, string?][] = [
        ['GET', '/api/agents'],
        ['GET', '/api/no-such-route'],
        ['POST', '/api/agents', '{"not": json'],
        ['POST', '/api/agents', '{"name": 1}'],
        ['POST', `/api/agents/${UNKNOWN_ID}/chat`, '{"contents": []}'],
        ['POST', '/models/v1/chat/completions', '{"model": "no such model", "messages": []}'],
        ['POST', '/api/agents', `"${'x'.repeat(2_000_000)}"`],
      ];
      for (const [method, path, raw] of calls) {
        const as = { ...app.member, apiKey: await revokedKey() };
        const refused = await app.request(method, path, { as, raw });
        expect([path, refused.status]).toEqual([path, 401]);
        expect(refused.text).toContain('This API key was revoked');
        expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      }
    });

    verifies('access.unauthorized', 'are refused before their bodies have arrived', async () => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      const head = ['POST /api/agents HTTP/1.1', `Host: ${hostname}`, 'Content-Type: application/json'];
      const credential = `Authorization: Bearer ${await revokedKey()}`;
      socket.write([...head, credential, 'Content-Length: 1000', '', '{'].join('\r\n'));
      const [response] = (await once(socket, 'data')) as [Buffer];
      expect(response.toString()).toMatch(/^HTTP\/1.1 401 /);
      socket.destroy();
    });
  });

  it('need the whole secret, not just a known beginning', async () => {
    const { key } = (await createKey(app.member)).body;
    const other = mintKey('pk');
    const known = parseKey(key)?.publicId ?? '';
    await app.sql('update api_key set public_id = $2 where public_id = $1', [known, other.publicId]);
    const answer = await me(other.key);
    expect(failed(answer)).toEqual(UNAUTHORIZED);
    expect(answer.text).toContain('not known');
  });

  it('may have an end, which lies in the future', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expect(
      (await createKey(app.member, { name: 'short', scopes: ['invoke'], expiresAt })).body.expiresAt,
    ).toBe(expiresAt);
    for (const wrong of ['2020-01-01T00:00:00Z', '2020-01-01', 'soon', 1]) {
      expect(
        failed(await createKey(app.member, { name: 'short', scopes: ['invoke'], expiresAt: wrong })),
      ).toEqual(INVALID);
    }
    expect(failed(await createKey(app.member, { name: ' ' }))).toEqual(INVALID);
    expect(failed(await createKey(app.member, { name: 'a\0b' }))).toEqual(INVALID);
  });

  verifies('access.api-key.own', 'belong to their holder alone', async () => {
    const { id } = (await createKey(app.member)).body;
    for (const other of [app.admin, app.outsider]) {
      expect(failed(await app.request('DELETE', `/api/api-keys/${id}`, { as: other }))).toEqual(FORBIDDEN);
      const list = await app.request<Page<ApiKey>>('GET', '/api/api-keys', { as: other });
      expect(list.body.items.map((item) => item.id)).not.toContain(id);
    }
    for (const unknown of [UNKNOWN_ID, 'no-uuid']) {
      expect(failed(await app.request('DELETE', `/api/api-keys/${unknown}`))).toEqual(NOT_FOUND);
    }
  });

  verifies(
    'access.removed-member',
    'die with the membership, and stay dead when the person comes back',
    async () => {
      const user = await app.addUser('MEMBER');
      const { answer } = await signIn(user);
      expect((await app.request('DELETE', `/api/members/${user.userId}`)).status).toBe(204);
      for (const credential of [user.apiKey, answer.accessToken]) {
        const refused = await me(credential);
        expect(failed(refused)).toEqual(UNAUTHORIZED);
        expect(refused.text).toContain('no longer a member');
      }
      const back = await app.request('POST', '/api/members', { body: { email: user.email, role: 'MEMBER' } });
      expect(back.status).toBe(201);
      expect(failed(await me(user.apiKey))).toEqual(UNAUTHORIZED);
    },
  );

  verifies(
    'access.rate-limit',
    'are good for 1,200 requests a minute each, and keep nobody from other keys and sign-ins',
    async () => {
      const busy = await app.addUser('MEMBER');
      const { key } = await app.client(busy).apiKeys.create({ name: 'second', scopes: ['use'] });
      const { email, password } = busy;
      const { accessToken } = await app.client(busy).auth.login({ email, password });
      const statuses: number[] = [];
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          for (let i = 0; i < 61; i++) {
            const response = await app.fetch('GET', '/api/nothing', { as: busy });
            await response.arrayBuffer();
            statuses.push(response.status);
          }
        }),
      );
      expect(statuses.filter((status) => status === 404)).toHaveLength(1200);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
      const refused = await me(busy.apiKey);
      expect(failed(refused)).toEqual({ status: 429, success: false, code: 'RATE_LIMITED' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('ratelimit')).toMatch(/^"credential";r=0;t=\d+$/);
      for (const credential of [key, accessToken]) {
        const { status, headers } = await me(credential);
        expect([status, headers.get('ratelimit-policy')]).toEqual([
          200,
          '"credential";q=1200;w=60, "holder";q=6000;w=60',
        ]);
        expect(headers.get('ratelimit')).toMatch(/^"credential";r=1199;t=60$/);
      }
    },
  );
});

describe('who is unknown', () => {
  it.each(['/api/agents', '/api/nothing', '/API/auth/me', '/api/auth/me/'])('gets 401 on %s', async (path) =>
    expect(failed(await app.request('GET', path, { as: null }))).toEqual(UNAUTHORIZED),
  );

  verifies('access.unauthorized', 'is sent before the body is read', async () => {
    const raw = 'x'.repeat(2 * 1024 * 1024);
    expect(failed(await app.request('POST', '/api/agents', { as: null, raw }))).toEqual(UNAUTHORIZED);
    expect(failed(await app.request('POST', '/api/agents', { as: null, raw: '{' }))).toEqual(UNAUTHORIZED);
    expect(failed(await app.request('POST', '/api/agents', { raw: '{' }))).toEqual(INVALID);
  });

  it('may read the documentation', async () => {
    expect((await app.request('GET', '/api/openapi.json', { as: null })).status).toBe(200);
    expect((await app.request('GET', '/api/docs', { as: null })).status).toBe(200);
  });
});

describe('spaces', () => {
  verifies('access.spaces', 'can be created by everyone, who becomes their admin', async () => {
    const user = await app.addUser('MEMBER');
    const created = await app.request<SpaceSummary>('POST', '/api/spaces', {
      as: user,
      body: { name: 'Team' },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'Team', role: 'ADMIN' });
    const list = await app.request<Page<SpaceSummary>>('GET', '/api/spaces', { as: user });
    expect(list.body.items.map(({ id, role }) => [id, role])).toEqual([
      [created.body.id, 'ADMIN'],
      [user.spaceId, 'MEMBER'],
    ]);
    expect(list.body.nextCursor).toBeNull();
  });
});

describe('members', () => {
  const add = (body: object, as = app.admin) =>
    app.request<AddedMember>('POST', '/api/members', { as, body });
  const setRole = (userId: string, role: string, as = app.admin) =>
    app.request<Member>('PATCH', `/api/members/${userId}`, { as, body: { role } });
  const remove = (userId: string, as = app.admin) => app.request('DELETE', `/api/members/${userId}`, { as });

  verifies('access.members', 'who are new get a temporary password, shown once', async () => {
    const added = await add({ email: 'ada@example.com', role: 'MEMBER' });
    expect(added.status).toBe(201);
    const { user, temporaryPassword = '' } = added.body;
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'ada' });
    expect(temporaryPassword.length).toBeGreaterThanOrEqual(16);
    await letPass(120_000);
    expect((await login('ada@example.com', temporaryPassword)).status).toBe(200);
    expect((await app.request('GET', '/api/members')).text).not.toContain(temporaryPassword);
    expect(failed(await add({ email: 'Ada@Example.com', role: 'MEMBER' }))).toEqual(CONFLICT);
  });

  it('may be given a password and a name', async () => {
    const added = await add({
      email: 'bob@example.com',
      name: 'Bob',
      role: 'ADMIN',
      password: 'ten letters',
    });
    expect(added.body).toEqual({
      user: { id: added.body.user.id, email: 'bob@example.com', name: 'Bob' },
      role: 'ADMIN',
    });
    await letPass(120_000);
    expect((await login('bob@example.com', 'ten letters')).body.space.role).toBe('ADMIN');
  });

  it('who have an account keep its password', async () => {
    const { email, userId } = app.outsider;
    expect(failed(await add({ email, role: 'MEMBER', password: 'an overtaking' }))).toEqual(CONFLICT);
    const added = await add({ email, role: 'MEMBER', name: 'Renamed' });
    expect(added.body).toEqual({ user: { id: userId, email, name: email.slice(0, 6) }, role: 'MEMBER' });
    await signIn(app.outsider);
    expect((await remove(userId)).status).toBe(204);
  });

  it.each([
    [{ email: 'no address', role: 'MEMBER' }],
    [{ email: 'x@example.com', role: 'OWNER' }],
    [{ email: 'x@example.com' }],
    [{ email: 'x@example.com', role: 'MEMBER', password: '9 letters' }],
    [{ email: 'x@example.com', role: 'MEMBER', admin: true }],
  ])('are refused when they are described so: %j', async (body) =>
    expect(failed(await add(body))).toEqual(INVALID),
  );

  verifies('access.members', 'have their new role with the next call', async () => {
    const user = await app.addUser('MEMBER');
    const audit = () => app.request('GET', '/api/audit', { as: user });
    expect(failed(await audit())).toEqual(FORBIDDEN);
    expect((await setRole(user.userId, 'ADMIN')).body).toMatchObject({
      user: { id: user.userId },
      role: 'ADMIN',
    });
    expect((await audit()).status).toBe(200);
    await setRole(user.userId, 'MEMBER');
    expect(failed(await audit())).toEqual(FORBIDDEN);
  });

  verifies('access.members.last-admin', 'always include an admin', async () => {
    expect(failed(await setRole(app.outsider.userId, 'MEMBER', app.outsider))).toEqual(CONFLICT);
    expect(failed(await remove(app.outsider.userId, app.outsider))).toEqual(CONFLICT);
    expect((await setRole(app.outsider.userId, 'ADMIN', app.outsider)).status).toBe(200);
  });

  verifies(
    'access.members.last-admin',
    'always include an admin, also when two demote each other at once',
    async () => {
      for (let round = 0; round < 5; round++) {
        const first = await app.addUser('ADMIN', null);
        const second = await app.addUser('ADMIN', first.spaceId);
        const answers = await Promise.all([
          setRole(first.userId, 'MEMBER', second),
          setRole(second.userId, 'MEMBER', first),
        ]);
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        const admins = await app.sql(`select 1 from membership where space_id = $1 and role = 'ADMIN'`, [
          first.spaceId,
        ]);
        expect(admins).toHaveLength(1);
      }
    },
  );

  verifies('access.other-space', 'of other spaces are 403, unknown ones 404, removed ones 404', async () => {
    const gone = await app.addUser('MEMBER');
    await remove(gone.userId);
    for (const act of [remove, (id: string) => setRole(id, 'ADMIN')]) {
      expect(failed(await act(app.outsider.userId))).toEqual(FORBIDDEN);
      expect(failed(await act(UNKNOWN_ID))).toEqual(NOT_FOUND);
      expect(failed(await act('no-uuid'))).toEqual(NOT_FOUND);
      expect(failed(await act(gone.userId))).toEqual(NOT_FOUND);
    }
  });

  verifies('access.lists', 'are listed page by page to every member', async () => {
    const owner = await app.addUser('ADMIN', null);
    const people = [owner];
    for (let i = 0; i < 4; i++) people.push(await app.addUser('MEMBER', owner.spaceId));
    const as = people.at(-1) ?? owner;
    const seen: string[] = [];
    let path = '/api/members?limit=2';
    for (let pages = 0; path !== '' && pages < 5; pages++) {
      const { body } = await app.request<Page<Member>>('GET', path, { as });
      seen.push(...body.items.map(({ user }) => user.id));
      path = body.nextCursor === null ? '' : `/api/members?limit=2&cursor=${body.nextCursor}`;
    }
    expect(seen.sort()).toEqual(people.map(({ userId }) => userId).sort());
  });

  verifies('access.lists', 'are listed with a cursor of this very list alone', async () => {
    const { body } = await app.request<Page<Member>>('GET', '/api/members?limit=1');
    expect(body.nextCursor).not.toBeNull();
    const cursor = body.nextCursor ?? '';
    expect(failed(await app.request('GET', `/api/members?cursor=${cursor}`, { as: app.outsider }))).toEqual(
      INVALID,
    );
    expect(failed(await app.request('GET', `/api/spaces?cursor=${cursor}`))).toEqual(INVALID);
    for (const query of ['cursor=x', 'limit=0', 'limit=201', 'limit=1.5', 'limit=a', 'offset=1']) {
      expect(failed(await app.request('GET', `/api/members?${query}`))).toEqual(INVALID);
    }
  });
});

describe('the audit log', () => {
  const entries = async (query = '', as = app.admin) =>
    (await app.request<Page<AuditEntry>>('GET', `/api/audit${query}`, { as })).body;

  verifies('access.audit', 'records who did what, and in which request', async () => {
    const added = await app.request<AddedMember>('POST', '/api/members', {
      body: { email: 'carol@example.com', role: 'MEMBER' },
      headers: { 'X-Request-Id': 'carol-joins' },
    });
    const { id } = added.body.user;
    await app.request('PATCH', `/api/members/${id}`, { body: { role: 'ADMIN' } });
    await app.request('DELETE', `/api/members/${id}`);
    const { items } = await entries(`?actor=${app.admin.userId}&limit=3`);
    expect(items.map(({ action }) => action)).toEqual(['member.remove', 'member.update', 'member.add']);
    expect(items[2]).toEqual({
      id: expect.any(String) as string,
      at: expect.stringMatching(/Z$/) as string,
      actor: { id: app.admin.userId, email: app.admin.email, name: app.admin.email.slice(0, 6) },
      action: 'member.add',
      targetType: 'user',
      targetId: id,
      details: { email: 'carol@example.com', role: 'MEMBER', newAccount: true },
      requestId: 'carol-joins',
    });
    expect(items[1]?.details).toEqual({ email: 'carol@example.com', from: 'MEMBER', to: 'ADMIN' });
  });

  verifies('access.audit', 'holds keys, passwords and spaces, and never a secret', async () => {
    const owner = await app.addUser('ADMIN', null);
    const created = await app.request<CreatedApiKey>('POST', '/api/api-keys', {
      as: owner,
      body: { name: 'k', scopes: ['invoke'] },
    });
    await app.request('DELETE', `/api/api-keys/${created.body.id}`, { as: owner });
    await letPass(120_000);
    const body = { currentPassword: owner.password, newPassword: 'a new password' };
    await app.request('POST', '/api/auth/password', { as: owner, body });
    const log = await app.request<Page<AuditEntry>>('GET', '/api/audit', { as: owner });
    expect(log.body.items.map(({ action }) => action)).toEqual([
      'password.change',
      'api-key.revoke',
      'api-key.create',
    ]);
    expect(log.text).not.toContain(parseKey(created.body.key)?.secret ?? 'no secret');
    expect(log.text).not.toContain('a new password');

    const space = await app.request<SpaceSummary>('POST', '/api/spaces', {
      as: owner,
      body: { name: 'New' },
    });
    const [entry] = await app.sql('select action, target_id from audit_entry where space_id = $1', [
      space.body.id,
    ]);
    expect(entry).toEqual({ action: 'space.create', target_id: space.body.id });
  });

  verifies('access.audit', 'is filtered by actor, action and time, and paged', async () => {
    const owner = await app.addUser('ADMIN', null);
    const second = await app.addUser('ADMIN', owner.spaceId);
    for (const as of [owner, second, owner]) {
      await app.request('POST', '/api/api-keys', { as, body: { name: 'k', scopes: ['use'] } });
    }
    expect((await entries('', owner)).items).toHaveLength(3);
    expect((await entries(`?actor=${second.userId}`, owner)).items).toHaveLength(1);
    expect((await entries('?action=api-key.create', owner)).items).toHaveLength(3);
    expect((await entries('?action=member.add', owner)).items).toEqual([]);

    const { items } = await entries('', owner);
    const at = items[1]?.at ?? '';
    expect((await entries(`?from=${at}`, owner)).items.length).toBeGreaterThanOrEqual(2);
    expect((await entries(`?to=${at}`, owner)).items.length).toBeGreaterThanOrEqual(2);
    expect((await entries(`?from=${at}&to=${at}`, owner)).items.map(({ id }) => id)).toContain(items[1]?.id);
    expect((await entries('?to=2020-01-01T00:00:00Z', owner)).items).toEqual([]);

    const first = await entries('?limit=2&action=api-key.create', owner);
    const rest = await entries(`?limit=2&action=api-key.create&cursor=${first.nextCursor}`, owner);
    expect([...first.items, ...rest.items]).toEqual(items);
    expect(rest.nextCursor).toBeNull();
    const foreign = await app.request('GET', `/api/audit?limit=2&cursor=${first.nextCursor}`, { as: owner });
    expect(failed(foreign)).toEqual(INVALID);
  });

  it.each(['actor=x', 'from=yesterday', 'to=2020-01-01', 'action=%00', 'who=me'])(
    'refuses ?%s',
    async (query) => expect(failed(await app.request('GET', `/api/audit?${query}`))).toEqual(INVALID),
  );

  it('is for admins, and shows their own space', async () => {
    expect(failed(await app.request('GET', '/api/audit', { as: app.member }))).toEqual(FORBIDDEN);
    const { items } = await entries('', app.outsider);
    expect(items.every(({ actor }) => actor?.id === app.outsider.userId)).toBe(true);
  });
});
