import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Job } from '@platform/contracts';
import { said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const DELTA = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a ' } }] })}\n\n`;

describe('a model server that never ends its response', () => {
  let app: TestApp;
  let server: Server;
  let agents: Record<string, string>;
  /** Responses that the service has not closed. */
  let open = 0;

  beforeAll(async () => {
    server = createServer((req, res) => {
      const says = req.url?.startsWith('/comments') ? ': keep-alive\n\n' : DELTA;
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(DELTA);
      open++;
      const timer = setInterval(() => res.write(says), 20);
      res.once('close', () => {
        clearInterval(timer);
        open--;
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    app = await TestApp.start({ env: { PLATFORM_MODEL_STALL_MS: '300', PLATFORM_MODEL_CALL_MS: '1500' } });
    agents = {};
    for (const name of ['comments', 'deltas']) {
      const baseUrl = `http://127.0.0.1:${port}/${name}`;
      await app.client().models.create({ name, baseUrl });
      agents[name] = (await app.client().agents.create({ name, model: name, systemPrompt: 'x' })).id;
    }
  });

  afterAll(async () => {
    await app.close();
    server.closeAllConnections();
    server.close();
  });

  const closed = () =>
    eventually(() => {
      expect(open).toBe(0);
      return Promise.resolve();
    });

  // Without a limit, neither would ever end.
  describe.each([
    ['comments', 'said nothing new for too long'],
    ['deltas', 'took too long in total'],
  ])('but sends %s', (model, reason) => {
    verifies('turn.model.limits', 'ends a turn, which can be retried', async () => {
      const chat = await app.request('POST', `/api/agents/${agents[model] ?? ''}/chat`, {
        body: { contents: said('Hello'), stream: false },
      });
      expect(chat.status).toBe(503);
      expect(chat.text).toContain(reason);
      await closed();
    });

    verifies('turn.model.limits', 'ends a job', async () => {
      const body = { agentId: agents[model] ?? '', contents: said('Hello') };
      const { id } = (await app.request<Job>('POST', '/api/agent-jobs', { body })).body;
      await eventually(async () => expect((await app.client().jobs.get(id)).status).toBe('FAILED'));
      await closed();
    });

    verifies('turn.model.limits', 'ends a relayed call, with a broken connection', async () => {
      const response = await app.fetch('POST', '/models/v1/chat/completions', {
        body: { model, stream: true, messages: [{ role: 'user', content: 'Hello' }] },
      });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      await closed();
    });
  });
});
