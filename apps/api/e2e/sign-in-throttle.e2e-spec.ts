import { DataSource } from 'typeorm';
import { SharedWindow } from '../src/auth/limits/shared-window.ts';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

describe('sign-ins in several processes behind a proxy', () => {
  let app: TestApp;
  let first: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_RATE_LIMIT: '1200' } });
    const env = { PLATFORM_TRUST_PROXY: '1' };
    first = await TestApp.start({ database: app, env });
    second = await TestApp.start({ database: app, env });
  });
  afterAll(async () => {
    await first.close();
    await second.close();
    await app.close();
  });

  /** Time passes, for the limits of sign-ins. */
  const letPass = (ms: number) =>
    app.sql(`update rate_window set started_at = started_at - $1 * interval '1 millisecond'`, [ms]);

  /** One guess; the last address is the one that the proxy wrote. */
  async function guess(at: TestApp, email: string, address: string): Promise<number> {
    const headers = { 'X-Forwarded-For': `198.51.100.77, ${address}` };
    const body = { email, password: 'a guess' };
    return (await at.request('POST', '/api/auth/login', { as: null, body, headers })).status;
  }

  verifies('access.sign-in.throttled', 'are slowed down over all of them', async () => {
    const { email } = await app.addUser('MEMBER');
    for (let i = 0; i < 10; i++) expect(await guess(i % 2 ? first : second, email, `192.0.2.${i}`)).toBe(401);
    expect(await guess(first, email, '192.0.2.100')).toBe(429);
    expect(await guess(second, email, '192.0.2.101')).toBe(429);

    for (let i = 0; i < 10; i++)
      expect(await guess(i % 2 ? first : second, `u${i}@example.com`, '192.0.2.200')).toBe(401);
    expect(await guess(first, 'u@example.com', '192.0.2.200')).toBe(429);
    expect(await guess(second, 'u@example.com', '192.0.2.201')).toBe(401);

    // The clock of the database is set back.
    await letPass(-3_600_000);
    for (let i = 0; i < 10; i++) expect(await guess(first, email, '192.0.2.200')).toBe(401);
    expect(await guess(first, email, '192.0.2.200')).toBe(429);
    await letPass(3_600_000);
  });

  verifies('access.rate-limit', 'are counted by address also where nobody has signed in', async () => {
    const env = { PLATFORM_TRUST_PROXY: '1', PLATFORM_RATE_LIMIT: '1' };
    const narrow = await TestApp.start({ database: app, env });
    const post = async (path: string, address: string) => {
      const headers = { 'X-Forwarded-For': address };
      return narrow.request('POST', path, { as: null, body: {}, headers });
    };
    const paths = ['/api/auth/refresh', '/api/oauth/token'];
    for (const path of paths)
      for (let i = 0; i < 2; i++) expect((await post(path, '192.0.2.40')).status).toBeLessThan(429);
    await post('/api/auth/logout', '192.0.2.40');
    for (const path of paths) {
      const refused = await post(path, '192.0.2.40');
      expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      expect((await post(path, '192.0.2.41')).status).toBeLessThan(429);
    }
    await narrow.close();
  });

  verifies('access.rate-limit', 'tell their limits, whatever they return', async () => {
    await letPass(120_000);
    const { email, password } = await app.addUser('MEMBER');
    const policy = '"address";q=10;w=60, "account";q=10;w=60';
    const told = async (body: object, address: string) => {
      const headers = { 'X-Forwarded-For': address };
      const answer = await first.request('POST', '/api/auth/login', { as: null, body, headers });
      expect(answer.headers.get('ratelimit-policy')).toBe(policy);
      const [, name, r, t] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
      if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe(t);
      return [answer.status, name, Number(r)];
    };
    const right = { email, password };
    const wrong = { email, password: 'a guess' };
    expect(await told(right, '192.0.2.1')).toEqual([200, 'address', 9]);
    expect(await told(wrong, '192.0.2.1')).toEqual([401, 'address', 8]);
    // What is left of the account is not told to strangers.
    for (let i = 0; i < 9; i++) expect(await told(wrong, `192.0.2.${i + 2}`)).toEqual([401, 'address', 9]);
    expect(await told(right, '192.0.2.20')).toEqual([429, 'account', 0]);
    for (let i = 0; i < 8; i++)
      expect(await told({ ...wrong, email: `u${i}@example.net` }, '192.0.2.1')).toEqual([
        401,
        'address',
        7 - i,
      ]);
    expect(await told(right, '192.0.2.1')).toEqual([429, 'address', 0]);
  });

  verifies(
    'access.rate-limit',
    'are told beside those of the credential by a change of the password',
    async () => {
      await letPass(120_000);
      const person = await app.addUser('MEMBER');
      const { status, headers } = await app.request('POST', '/api/auth/password', {
        as: person,
        body: { currentPassword: 'a guess', newPassword: 'a password that is new' },
      });
      expect([status, headers.get('ratelimit-policy')]).toEqual([
        400,
        '"credential";q=1200;w=60, "holder";q=6000;w=60, "address";q=10;w=60, "account";q=10;w=60',
      ]);
      expect(headers.get('ratelimit')).toMatch(/^"credential";r=\d+;t=\d+, "address";r=9;t=\d+$/);
    },
  );

  it('counts what the database takes for one account as one', async () => {
    const { email } = await app.addUser('MEMBER');
    const variants = Array.from({ length: 11 }, (_, i) => email.slice(0, i) + email.slice(i).toUpperCase());
    // The database keeps none of these halves of a character: to it they are all the same.
    const halves = Array.from({ length: 11 }, (_, i) => `${String.fromCharCode(0xd800 + i)}@example.com`);
    for (const [n, spellings] of [variants, halves].entries()) {
      const statuses: number[] = [];
      for (const [i, spelling] of spellings.entries())
        statuses.push(await guess(first, spelling, `203.0.113.${n * 100 + i}`));
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    }
  });

  it('believes no address that a caller made up', async () => {
    await letPass(120_000);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push(await guess(app, `u${i}@example.org`, `203.0.113.${i}`));
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('does not count what succeeded against the account', async () => {
    const { email, password } = await app.addUser('MEMBER');
    for (let i = 0; i < 12; i++) {
      const headers = { 'X-Forwarded-For': `192.0.2.${150 + i}` };
      const init = { as: null, body: { email: email.toUpperCase(), password }, headers };
      expect((await (i % 2 ? first : second).request('POST', '/api/auth/login', init)).status).toBe(200);
    }
  });

  it('does not admit twice the limit around the border of two windows', async () => {
    const window = new SharedWindow(app.get(DataSource), Buffer.alloc(32), {
      limit: 10,
      windowMs: 60_000,
    });
    const admitted = async (times: number) => {
      let count = 0;
      for (let i = 0; i < times; i++) if ((await window.hit('border')).wait === null) count += 1;
      return count;
    };
    const began = performance.now();
    expect(await admitted(15)).toBe(10);
    await letPass(60_000);
    // One attempt fades every six seconds, also while the test is held up.
    const faded = () => Math.floor((performance.now() - began) / 6_000);
    const early = await admitted(10);
    expect(early).toBeLessThanOrEqual(faded());
    await letPass(30_000);
    const all = early + (await admitted(10));
    expect(all).toBeGreaterThanOrEqual(5);
    expect(all).toBeLessThanOrEqual(5 + faded());
    await letPass(120_000);
    expect(await admitted(15)).toBe(10);
  });

  it('forgets counts that have passed', async () => {
    await guess(first, 'somebody@example.org', '203.0.113.250');
    await app.sweep();
    const count = async () =>
      (await app.sql<{ n: number }>('select count(*)::int as n from rate_window'))[0]?.n;
    expect(await count()).toBeGreaterThan(0);
    await letPass(600_000);
    await app.sweep();
    expect(await count()).toBe(0);
  });
});
