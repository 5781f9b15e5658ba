import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { SqlPool } from '../src/infra/database/pools.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let calls: AgentCalls;
let model: ScriptedModel;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  calls = await AgentCalls.make(app, { baseUrl: model.url });
});
afterAll(async () => {
  await app.close();
  await model.close();
});

/** A stream that has begun and goes on when it is let go. */
async function held(user: TestUser) {
  const { opened, open: letGo } = gate();
  const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
  const turnId = randomUUID();
  const stream = await calls.by(user).open({ contents: said(prompt), turnId });
  await stream.untilSaid('One');
  return { stream, turnId, prompt, letGo };
}

describe('the open streams of who may no longer call', () => {
  verifies(
    'access.open-streams',
    'end within seconds: removed members, revoked keys, ended sign-ins',
    async () => {
      const removed = await app.addUser('MEMBER');
      const revoked = await app.addUser('MEMBER');
      const signedOut = await app.addUser('MEMBER');
      const staying = await app.addUser('MEMBER');
      const { email, password } = signedOut;
      const signIn = await app.request<{ accessToken: string }>('POST', '/api/auth/login', {
        as: null,
        body: { email, password },
      });
      const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      const streams = [];
      for (const user of [removed, revoked, { ...signedOut, apiKey: signIn.body.accessToken }, staying])
        streams.push(await held(user));
      const [first, second, third, fourth] = streams;
      const relayed = fetch(`${app.url}/models/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${removed.apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          model: 'platform/offline',
          messages: [{ role: 'user', content: '/think 600000' }],
          stream: true,
        }),
      }).then((response) => response.text());
      const ended = [first, second, third].map((held) => held?.stream.rest());
      await app.request('DELETE', `/api/members/${removed.userId}`);
      await app.sql('update api_key set revoked_at = clock_timestamp() where user_id = $1', [revoked.userId]);
      const out = await app.request('POST', '/api/auth/logout', { as: null, body: {}, headers: { cookie } });
      expect(out.status).toBe(200);
      // None of them would end otherwise: three wait, and the relayed one thinks for ten minutes.
      await Promise.allSettled([...ended, relayed]);
      for (const { letGo } of streams) letGo();
      // Whoever may call reads on, and so do the turns of those who may not.
      expect(textOf((await fourth?.stream.rest())?.frames ?? [])).toBe('One two');
      await app.settle();
      const [turn] = await app.sql<{ status: string }>('select status from turn where client_turn_id = $1', [
        first?.turnId,
      ]);
      expect(turn?.status).toBe('COMPLETED');
    },
  );
});

describe('a log that cannot be read', () => {
  verifies('stream.unreadable', 'ends only the responses of its readers', async () => {
    const { stream, turnId, letGo } = await held(app.member);
    armFailpoints(['streams.read']);
    const own = calls.by(app.member);
    const cut = await own.attach(turnId);
    // It ends as an answer does: nothing was lost, and nothing tells of an end of the stream.
    expect(await cut.rest()).toMatchObject({ status: 200, bytes: '' });
    disarmFailpoints();
    const again = own.attach(turnId).then((attached) => attached.rest());
    letGo();
    const { bytes, frames } = await stream.rest();
    expect(textOf(frames)).toBe('One two');
    expect((await again).bytes).toBe(bytes);
  });
});

it('pages of logs are read on connections of their own, so that no request waits for readers', async () => {
  const { stream, turnId, letGo } = await held(app.member);
  letGo();
  const { bytes } = await stream.rest();
  await app.settle();
  const queries = jest.spyOn(SqlPool.prototype, 'query');
  const again = await calls.by(app.member).attach(turnId);
  expect((await again.rest()).bytes).toBe(bytes);
  const { calls: sent, contexts } = queries.mock;
  const pools = contexts as unknown as { pool: { options: { application_name: string } } }[];
  const readers = sent.flatMap(([text], i) =>
    text.includes('data from stream_frame') ? [pools[i]?.pool.options.application_name] : [],
  );
  expect(new Set(readers)).toEqual(new Set(['platform-reader']));
});
