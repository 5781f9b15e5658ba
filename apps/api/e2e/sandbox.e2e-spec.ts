import { createHash, createHmac } from 'node:crypto';
import type { Agent, Run, Step } from '@platform/contracts';
import { SandboxPool } from '../src/tasks/sandbox/sandbox-pool.ts';
import { TestApp } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let calls: RunCalls;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_SANDBOX_PROCESSES: '2' } });
  calls = new RunCalls(app);
});
afterAll(() => app.close());

const code = (source: string, id = 'main'): Step => ({ id, kind: 'code', source });

/** Somebody whose code may end its process: their next code waits for a while, and that of others does not. */
const someone = async (): Promise<RunCalls> => calls.by(await app.addUser('MEMBER', app.admin.spaceId));

/** Runs code to its end, as somebody's task. */
const run = (source: string, by: RunCalls = calls): Promise<Run> => by.result([code(source)]);

const FOREVER = 'console.log("waiting"); await new Promise(() => {})';

async function createAgent(change: object = {}): Promise<Agent> {
  const body = { name: 'A', model: 'platform/offline', systemPrompt: 'Be brief.', ...change };
  return (await app.request<Agent>('POST', '/api/agents', { body })).body;
}

/** A run whose code is waiting for an agent. */
async function thinking(by: RunCalls): Promise<{ started: Run }> {
  const { id } = await createAgent();
  const source = `return platform.agents.execute('${id}', { query: '/think 60000' })`;
  const started = await by.start(await by.createTask([code(source)], { timeoutMs: 60_000 }));
  await eventually(async () => {
    expect(await app.sql('select 1 from turn where agent_id = $1', [id])).toHaveLength(1);
  });
  return { started };
}

async function isFine(): Promise<void> {
  const { status, steps } = await run('return [typeof process, typeof {}.polluted]');
  expect([status, steps[0]?.output]).toEqual(['SUCCEEDED', ['undefined', 'undefined']]);
}

describe('Code', () => {
  verifies('sandbox.code', 'gets its inputs and the outputs of earlier steps, returns and logs', async () => {
    const task = await calls.createTask([
      code('return { doubled: context.execution.inputs.n * 2 }', 'double'),
      code('console.log("Got", context.steps.double.output); return await Promise.resolve("done")'),
    ]);
    const { status, steps } = await calls.reached(await calls.start(task, { n: 21 }));
    expect(status).toBe('SUCCEEDED');
    expect(steps).toMatchObject([
      { output: { doubled: 42 }, log: '' },
      { output: 'done', log: 'Got {"doubled":42}\n' },
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['a text of 1 GB', 'return "x".repeat(2 ** 30)', /invalid string length \(line 1\)$/],
    ['much memory', 'return new Uint8Array(1e8).length', /more than 64 MB of memory/],
    ['deep recursion', 'const f = () => f() + 1;\nf()', /The code calls itself too deeply \(line 1\)$/],
    ['deep values', 'return JSON.parse("[".repeat(1e6))', /nests values or calls too deeply/],
    ['an escape', 'return constructor.constructor("return process")()', /'process' is not defined/],
    [
      '10,000 pending promises',
      'return Promise.all(Array.from({ length: 1e4 }, () => platform.agents.execute("a", {})))',
      /waits for 20 calls, which is the most at a time/,
    ],
    ['a huge output', 'return "x".repeat(2e6)', /The output must have at most 1048576 characters as JSON/],
    ['a syntax error', 'return 1;\nreturn }', /^SyntaxError: .* \(line 2\)$/],
    ['an error', '\n\nthrow new Error("Sold out")', /^Sold out \(line 3\)$/],
  ])(
    'fails with a reason, and the worker and the next run are fine: %s [sandbox.bounds]',
    async (_, source, message) => {
      const failed = await run(source, await someone());
      expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED' } });
      expect(failed.error?.message).toMatch(message);
      await isFine();
    },
  );

  verifies('sandbox.bounds', 'has at most 256 KB of log, which says that lines were dropped', async () => {
    const { status, steps } = await run('for (let i = 0; i < 5000; i++) console.log("x".repeat(100))');
    expect(status).toBe('SUCCEEDED');
    expect(steps[0]?.log.length).toBeLessThan(256 * 1024 + 100);
    expect(steps[0]?.log).toMatch(/x\n… The log of a run has at most 256 KB; the rest was dropped\.\n$/);
  });

  verifies('sandbox.values', 'returns useful JSON, formats for a locale, or says why it cannot', async () => {
    const { steps } = await run(
      'return { map: new Map([["a", new Set([1])]]), text: (1234.5).toLocaleString("de-DE"), ' +
        'time: new Date(0).toLocaleString("en-GB", { timeZone: "Asia/Tokyo" }) }',
    );
    expect(steps[0]?.output).toEqual({ map: { a: [1] }, text: '1.234,5', time: '01/01/1970, 09:00:00' });
    expect((await run('return { total: 1n }')).error?.message).toMatch(/"total" is a BigInt/);
  });

  verifies('sandbox.builtins', 'has hashes, signatures, encodings, URLs, copies, and pauses', async () => {
    const { status, steps } = await run(
      `const secret = platform.base64.decode('a8O8'), body = JSON.stringify({ total: 1 });
       const url = new URL('/orders?limit=5', 'https://example.com'); url.searchParams.set('q', 'a b');
       const started = Date.now(); await platform.sleep(50);
       return { signature: platform.hmac('sha256', secret, body), hash: platform.hash('md5', new TextEncoder().encode(body)), url,
         copy: structuredClone({ a: [1] }), slept: Date.now() - started >= 45 }`,
    );
    const body = '{"total":1}';
    expect([status, steps[0]?.output]).toEqual([
      'SUCCEEDED',
      {
        signature: createHmac('sha256', 'kü').update(body).digest('hex'),
        hash: createHash('md5').update(body).digest('hex'),
        url: 'https://example.com/orders?limit=5&q=a+b',
        copy: { a: [1] },
        slept: true,
      },
    ]);
    const message = /platform\.sleep must receive a number of milliseconds from 0 to 86400000/;
    for (const ms of ['', '-1', '"1"', '1e9', 'NaN'])
      expect((await run(`await platform.sleep(${ms})`)).error?.message).toMatch(message);
  });

  verifies('sandbox.stopped', 'that sleeps ends when its run is cancelled, or its time is over', async () => {
    const sleeping = [code('console.log("sleeping"); await platform.sleep(3_600_000)')];
    const started = await calls.start(await calls.createTask(sleeping, { timeoutMs: 3_600_000 }));
    await calls.reached(started, 'RUNNING');
    await calls.cancel(started);
    expect(await calls.reached(started)).toMatchObject({ status: 'CANCELLED' });
    const late = await calls.result(sleeping, { timeoutMs: 1_000 });
    expect(late).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } });
    await isFine();
  });

  verifies('sandbox.isolated', 'leaves nothing behind for the next run', async () => {
    const pollute =
      'Object.prototype.polluted = 1; JSON.stringify = () => "1"; globalThis.process = {}; return 1';
    for (let i = 0; i < 3; i++) {
      expect(await run(pollute)).toMatchObject({ status: 'SUCCEEDED' });
      await isFine();
    }
  });

  verifies(
    'sandbox.stopped',
    'that waits for something that cannot happen fails at once, and keeps its log',
    async () => {
      const failed = await calls.result([code(FOREVER)], { timeoutMs: 3_600_000 });
      const message = 'The code waits for something that cannot happen: no call is under way';
      expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED', message } });
      expect(failed.steps[0]).toMatchObject({ log: 'waiting\n' });
      await isFine();
    },
  );

  verifies('sandbox.stopped', 'ends when its run is cancelled', async () => {
    const by = await someone();
    const started = await by.start(await by.createTask([code('while (1);')]));
    await by.reached(started, 'RUNNING');
    await by.cancel(started);
    expect(await by.reached(started)).toMatchObject({ status: 'CANCELLED' });
    await isFine();
  });

  verifies('sandbox.stopped', 'whose process dies fails, and the next run has another process', async () => {
    const { started } = await thinking(await someone());
    const pool = app.get(SandboxPool);
    const killed = pool.pids;
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    expect(await calls.reached(started)).toMatchObject({ status: 'FAILED' });
    expect((await calls.get(started)).error).toEqual({
      code: 'STEP_FAILED',
      message: 'The sandbox process of the code ended unexpectedly',
    });
    // The death of the other process, which had nothing to do, may be noticed later.
    await eventually(async () => {
      await Promise.resolve();
      expect(pool.pids.filter((pid) => killed.includes(pid))).toEqual([]);
    });
    await isFine();
  });

  verifies(
    'sandbox.bounds',
    'that waits for its calls takes no process from other code, of the same person or of others',
    async () => {
      // Nobody whose code has ended a process. There are two places.
      const [ada, bob] = [await someone(), await someone()];
      const waiting = [await thinking(ada), await thinking(bob), await thinking(ada)];
      expect(await run('return 2', ada)).toMatchObject({ steps: [{ output: 2 }] });
      expect(await run('return 3', bob)).toMatchObject({ steps: [{ output: 3 }] });
      for (const { started } of waiting) {
        expect(await calls.get(started)).toMatchObject({ status: 'RUNNING' });
        await calls.cancel(started);
      }
    },
  );
});

describe('What code calls', () => {
  verifies('sandbox.calls', 'are agents, as the owner of the task', async () => {
    const { id } = await createAgent();
    const source = `const { answer } = await platform.agents.execute('${id}', { query: 'Hello' }); return answer`;
    const { status, steps } = await run(source, calls.by(app.member));
    expect([status, steps[0]?.output]).toEqual(['SUCCEEDED', expect.stringContaining('Hello')]);
    const [turn] = await app.sql<{ userId: string }>(
      'select user_id as "userId" from turn order by id desc limit 1',
    );
    expect(turn).toEqual({ userId: app.member.userId });
  });

  verifies('sandbox.calls', 'fail where the owner has no right, and code can catch that', async () => {
    const { id } = await createAgent({ accessScope: 'RESTRICTED', allowedUserIds: [app.admin.userId] });
    const call = `platform.agents.execute('${id}', { query: 'Hello' })`;
    const failed = await run(`\nawait ${call}`, calls.by(app.member));
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED' } });
    expect(failed.error?.message).toMatch(/^platform\.agents\.execute\.agentId must name .* \(line 2\)$/);
    const caught = await run(
      `try { await ${call} } catch (error) { return error.code }`,
      calls.by(app.member),
    );
    expect(caught.steps[0]?.output).toBe('VALIDATION_ERROR');
  });

  verifies('sandbox.calls', 'are events, if the owner is an admin', async () => {
    await installApplication(app);
    const emit = `return await platform.emit({
      applicationIdentifier: 'shop', event: 'order.shipped', payload: { number: '{{7}}' } })`;
    const { status, steps } = await run(emit);
    expect([status, steps[0]?.output]).toMatchObject(['SUCCEEDED', { status: 'PENDING' }]);
    const { envelopeId } = steps[0]?.output as { envelopeId: string };
    const [envelope] = await app.sql<object>('select payload from envelope where id = $1', [envelopeId]);
    expect(envelope).toEqual({ payload: { number: '{{7}}' } });

    const refused = await run(emit, calls.by(app.member));
    expect(refused.error?.message).toMatch(/^Only admins emit events/);
  });

  it.each<[string, RegExp]>([
    ['platform.emit()', /platform\.emit must receive an object/],
    ['platform.emit({})', /platform\.emit\.applicationIdentifier must be a text/],
    ['platform.emit({ applicationIdentifier: "x", event: "a.b", payload: {} })', /platform\.emit: /],
    ['platform.agents.execute("x")', /platform\.agents\.execute\.agentId must name/],
    ['platform.agents.execute(1, 2)', /agentId must be a text .*; .*inputs must be an object/],
    ['platform.tools.invoke("x", "y")', /platform\.tools\.invoke/],
    [
      'platform.tools.invoke("x", "y", {}, { accept: 1 })',
      /platform\.tools\.invoke\.accept is not a known field/,
    ],
    [
      'platform.emit({ applicationIdentifier: "x", event: "a.b", payload: {}, key: "k" })',
      /platform\.emit\.key is not a known field/,
    ],
    ['platform.fetch("http://localhost")', /not a function/],
  ])('are checked: %s [sandbox.calls]', async (call, message) => {
    const failed = await run(`await ${call}`);
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'STEP_FAILED' } });
    expect(failed.error?.message).toMatch(message);
  });
});
