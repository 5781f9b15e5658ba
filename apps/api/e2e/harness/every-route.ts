import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { said, type AgentCalls } from './agent-calls.ts';
import type { Answer } from './app.ts';
import { RunningClock } from './running-clock.ts';

export interface Told {
  route: string;
  answer: Answer;
  ms: number;
}

/** Calls every route once, with a body that is right where one is needed to come as far as the database. */
export async function callEverything({ app, agentId }: AgentCalls, atOnce: number): Promise<Told[]> {
  const routes = readFileSync(join(import.meta.dirname, '../fixtures/routes.txt'), 'utf8')
    .trim()
    .split('\n');
  const contents = said('Hello');
  const bodies: Record<string, unknown> = {
    'POST /api/agents/:agentId/chat': { contents, stream: false },
    'POST /api/agents/:agentId/execute': { inputs: { query: 'Hello' } },
    'POST /api/agent-jobs': { agentId, contents },
    'POST /api/agents': { name: 'B', model: 'platform/offline' },
    'PATCH /api/agents/:agentId': { name: 'C' },
    'POST /api/auth/login': { email: app.member.email, password: app.member.password },
    'POST /api/auth/password': { currentPassword: app.admin.password, newPassword: 'another one of length' },
    'POST /api/api-keys': { name: 'key', scopes: ['invoke'] },
    'POST /api/members': { email: 'new@example.com', role: 'MEMBER' },
    'PATCH /api/members/:userId': { role: 'ADMIN' },
    'POST /api/spaces': { name: 'Space' },
    'POST /api/usage/grants': { tokens: 10 },
    'POST /models/v1/chat/completions': {
      model: 'platform/offline',
      messages: [{ role: 'user', content: 'x' }],
    },
    'POST /models/v1/embeddings': { model: 'platform/offline', input: 'x' },
  };
  const told: Told[] = [];
  const clock = new RunningClock();
  const callRest = async () => {
    for (let line = routes.shift(); line !== undefined; line = routes.shift()) {
      const [method = '', path = ''] = line.split(/\s+/).slice(2);
      const route = `${method} ${path}`;
      const url = path
        .replace(':agentId', agentId)
        .replace(':n', '1')
        .replace(/:\w+/g, () => randomUUID());
      const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[route] ?? {});
      const begin = clock.now();
      const answer = await app.request(method, url, { body });
      told.push({ route, answer, ms: clock.now() - begin });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, callRest));
  clock.stop();
  return told;
}

/** The forms of errors, and what they say of a database that is away. */
const FORMS: readonly { routes: RegExp; code: string; read: (body: Record<string, unknown>) => unknown }[] = [
  {
    routes: /\/models\/v1/,
    code: 'service_unavailable',
    read: ({ error }) => (error as { code?: string } | undefined)?.code,
  },
  {
    routes: /\/api\/oauth\/(register|revoke|token)$/,
    code: 'temporarily_unavailable',
    read: ({ error }) => error,
  },
  { routes: /^/, code: 'UNAVAILABLE', read: ({ code }) => code },
];

/** An error body in the form of the API that was asked, with the time after which to try again. */
export function expectAway({ route, answer: { status, headers, body, text } }: Told): void {
  const form = FORMS.find(({ routes }) => routes.test(route));
  const code = form?.read(body);
  expect({ route, status, code, text }).toMatchObject({ route, status: 503, code: form?.code });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}
