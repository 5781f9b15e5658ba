import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { scaled } from './faults/scale.ts';
import { TestApp } from './harness/app.ts';
import { answerInbox, ApprovalCalls, APPROVE, inboxOf, PausedTurn } from './harness/approval-calls.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

/** How many calls wait while the process that asked is killed. */
const WAITING = scaled('APPROVAL_KILLS', { quick: 20, slow: 60 });

let app: TestApp;
let model: ScriptedModel;
let server: ToolServer;
let shop: ApprovalCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  server = await ToolServer.start();
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  shop = await ApprovalCalls.make(app, model, server);
});
afterAll(async () => {
  await app.close();
  await model.close();
  await server.stop();
});

describe('a process that is killed', () => {
  verifies(
    'approval.durable',
    'between questions and answers loses no call, and makes none twice',
    async () => {
      server.respond(sendJson({ refunded: true }));
      const calls = await shop.agent({ refund: { mode: 'ask' } });
      const runs = new RunCalls(app);
      const turns = [];
      for (let i = 0; i < WAITING; i++) {
        const prompt = model.prompt(shop.calls(['refund', { amount: i }]));
        turns.push({ turn: await PausedTurn.start(calls, prompt), prompt });
      }
      const other = await ServiceProcess.spawn({
        DATABASE_URL: app.databaseUrl,
        PLATFORM_SECRET_KEY: app.secretKey,
        PLATFORM_DATA_DIR: app.dataDir,
        PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}`,
        PLATFORM_FAILPOINTS: 'turns.claim:kill@3',
      }).then((started) => started.ready());
      // The process that answers dies at the third answer, before it has stored it.
      for (const { turn } of turns.slice(0, 3)) {
        const { interactionId } = await turn.pending();
        await fetch(`${other.url}${calls.path}/turns/${turn.turnId}/resume`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${app.admin.apiKey}`,
            'Content-Type': 'application/json',
            'X-Platform-Stream-Protocol': 'langgraph-v3',
          },
          body: JSON.stringify({ sessionId: turn.session, interactionId, ...APPROVE }),
        })
          .then((response) => response.text())
          .catch(() => undefined);
      }
      await eventually(() => {
        expect(other.hasEnded).toBe(true);
        return Promise.resolve();
      });
      for (const { turn } of turns)
        await eventually(async () => {
          if ((await turn.state).status === 'INPUT_REQUIRED') await turn.answer(APPROVE);
          expect((await turn.state).status).toBe('COMPLETED');
        });
      const step = {
        id: 'refund',
        kind: 'tool' as const,
        toolId: shop.tool.id,
        method: 'refund',
        input: { amount: -1 },
        policy: { mode: 'ask' as const },
      };
      const task = await runs.createTask([step]);
      const started = [];
      for (let i = 0; i < WAITING; i++) started.push(await runs.reached(await runs.start(task), 'WAITING'));
      for (const question of await inboxOf(app, app.admin))
        await answerInbox(app, question.id, { approved: true }, app.admin);
      for (const run of started) expect((await runs.reached(run)).status).toBe('SUCCEEDED');
      const amounts = (shop.refunds as { amount: number }[]).map(({ amount }) => amount);
      expect(amounts.filter((amount) => amount === -1)).toHaveLength(WAITING);
      expect(amounts.filter((amount) => amount >= 0).sort((a, b) => a - b)).toEqual(turns.map((_, i) => i));
    },
  );
});
