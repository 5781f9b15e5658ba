import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret } from '../src/infra/crypto/api-tokens.ts';
import { TestApp } from './harness/app.ts';
import { SignIns, cookieOf, sessionIdOf } from './harness/sign-ins.ts';
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
