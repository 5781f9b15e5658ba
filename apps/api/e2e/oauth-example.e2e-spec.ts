import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Front } from './fixtures/front.ts';
import { TestApp } from './harness/app.ts';
import { OAuthAttempts } from './harness/oauth-client.ts';
import { verifies } from './verifies.ts';

const GUIDE = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');

describe('the guide to OAuth', () => {
  let app: TestApp;
  let front: Front;

  beforeAll(async () => {
    front = await Front.start();
    app = await TestApp.start({ env: { PLATFORM_PUBLIC_URL: front.url } });
    front.target = app.url;
  });
  afterAll(async () => {
    await app.close();
    front.stop();
  });

  verifies('oauth.sign-in', 'has a program that signs in as it is shown', async () => {
    const [, section = ''] = GUIDE.split('## Sign in with OAuth');
    const [, program = ''] = /```js\n([\s\S]*?)\n```/.exec(section) ?? [];
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { MCP_URL: `${front.url}/mcp/${app.admin.spaceId}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const opened = new URL(String((await lines.next()).value).replace(/^Open /, ''));
    expect(opened.pathname).toBe('/oauth/consent');
    const oauth = new OAuthAttempts(app, front.url);
    const { body: asked } = await oauth.preview(app.member, opened.search.slice(1));
    expect(asked).toMatchObject({ client: { name: 'My client' }, scopes: ['invoke', 'use'], problem: null });
    const { body: answer } = await oauth.answer(app.member, { request: asked.request, allow: true });
    expect((await fetch(answer.redirectTo)).status).toBe(200);
    let listed = '';
    for await (const line of lines) listed += line;
    expect(listed).toContain('"name":"get_result"');
    expect(await ended).toEqual([0, null]);
  });
});
