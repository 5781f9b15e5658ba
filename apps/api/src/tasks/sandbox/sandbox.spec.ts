import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SANDBOX_LIMITS, SandboxPool } from './sandbox-pool.ts';
import { CodeFailed, SandboxProcess, type SandboxJob } from './sandbox-process.ts';

/** Little processor time, so that endless loops end soon. Code that ends has the limits of the service. */
const LIMITS = { ...SANDBOX_LIMITS, cpuMs: 100 };

/** One process each for all tests, so that each also shows that those before it left it in order. */
const shared = new SandboxPool(1);
const hurried = new SandboxPool(1, LIMITS);
let pool: SandboxPool;
/** Another one for each test: who ends a process waits before the next execution. */
let person: string;

beforeEach(() => {
  pool = shared;
  person = randomUUID();
});
afterEach(async () => {
  if (pool !== shared && pool !== hurried) await pool.close();
});
afterAll(() => Promise.all([shared.close(), hurried.close()]));

/** A search of 10^11 steps, inside a built-in. */
const UNINTERRUPTIBLE = `return 'a'.repeat(2e6).indexOf('a'.repeat(1e5) + 'b')`;

interface Run {
  owner?: string;
  context?: unknown;
  cpuMs?: number;
  signal?: AbortSignal;
  lines?: string[];
  call?: (action: string, request: unknown) => Promise<unknown>;
}

function toJob(
  source: string,
  { owner = person, context = {}, cpuMs, signal, lines = [], call }: Run = {},
): SandboxJob {
  return {
    owner,
    source,
    context: JSON.stringify(context),
    ...(cpuMs && { cpuMs }),
    signal: signal ?? new AbortController().signal,
    log: (line) => lines.push(line),
    call: async (action, request) => JSON.stringify((await call?.(action, JSON.parse(request))) ?? null),
    toCallError: (error) => ({ code: 'FAILED', message: (error as Error).message }),
  };
}

/** Runs code and returns its output. */
async function run(source: string, options: Run = {}): Promise<unknown> {
  const json = await pool.run(toJob(source, options));
  return json === null ? null : (JSON.parse(json) as unknown);
}

async function failure(source: string, options: Run = {}): Promise<CodeFailed['failure']> {
  const error: unknown = await run(source, options).catch((reason: unknown) => reason);
  if (!(error instanceof CodeFailed)) throw new Error(`No failure of the code: ${String(error)}`);
  return error.failure;
}

/** The code fails as expected, and the next code is fine. */
async function expectFailure(source: string, expected: object): Promise<void> {
  const { message, ...rest } = expected as { message?: string | RegExp };
  const failed = await failure(source);
  expect(failed).toMatchObject(rest);
  if (message !== undefined) expect(failed.message).toMatch(message);
  expect(await run('return typeof process')).toBe('undefined');
}

describe('the sandbox', () => {
  it('gives code 10 s of processor time, 60 s at a time, and 64 MB', () => {
    expect(SANDBOX_LIMITS).toMatchObject({ cpuMs: 10_000, sliceMs: 60_000, memoryBytes: 67_108_864 });
  });

  it('runs the body of an async function', async () => {
    expect(await run('return 1 + 1')).toBe(2);
    expect(await run('return { a: [1, "x", null, true] } // end')).toEqual({ a: [1, 'x', null, true] });
    expect(await run('')).toBeNull();
    expect(await run('await null; const x = await Promise.all([1, 2]); return x')).toEqual([1, 2]);
  });

  it('gives the code its context', async () => {
    const context = { execution: { inputs: { name: 'Ada', __proto__: null } } };
    expect(await run('return context.execution.inputs.name', { context })).toBe('Ada');
  });

  it('writes to the log', async () => {
    const lines: string[] = [];
    const source = 'console.log("a", 1, { b: [2] }, undefined, new Error("x")); console.error(null)';
    expect(await run(source, { lines })).toBeNull();
    expect(lines).toEqual(['a 1 {"b":[2]} undefined Error: x', 'null']);
  });

  it('has nothing of Node.js', async () => {
    const names = [
      'process',
      'require',
      'module',
      'fetch',
      'setTimeout',
      'Buffer',
      'WebAssembly',
      'std',
      'os',
    ];
    const source = `return [${names.map((name) => `typeof ${name}`).join(', ')}]`;
    expect(await run(source)).toEqual(names.map(() => 'undefined'));
    for (const escape of [
      "constructor.constructor('return process')()",
      "context.constructor.constructor('return process')()",
      "platform.emit.constructor('return process')()",
      "console.log.constructor('return process')()",
      "(async () => {}).constructor('return process')().then()",
    ]) {
      expect(await failure(`return ${escape}`)).toMatchObject({ kind: 'error' });
    }
  });

  it.each<[string, string, object]>([
    ['while (1)', '\nwhile (1);', { kind: 'limit', message: /0\.1 s of processor time/ }],
    [
      'an endless chain of promises',
      'const f = () => void Promise.resolve().then(f); f(); await new Promise(() => {})',
      { kind: 'limit', message: /0\.1 s/ },
    ],
    [
      'a loop that catches everything',
      'for (;;) { try { for (;;); } catch {} finally { continue } }',
      { kind: 'limit', message: /0\.1 s/ },
    ],
    ['a slow pattern', 'return /(a+)+$/.test("a".repeat(50) + "b")', { kind: 'limit', message: /0\.1 s/ }],
    [
      'an endless error',
      'const e = new Error(); Object.defineProperty(e, "message", { get() { for (;;); } }); throw e',
      { kind: 'limit' },
    ],
    ['a return of something endless', 'return { toJSON() { for (;;); } }', { kind: 'limit' }],
  ])('%s fails, and the next execution is fine', async (_, source, expected) => {
    pool = hurried;
    await expectFailure(source, expected);
  });

  it.each<[string, string, object]>([
    [
      'a text of 1 GB',
      'return "x".repeat(2 ** 30)',
      { kind: 'error', message: /invalid string length/, line: 1 },
    ],
    [
      'a growing chain of promises',
      'const f = () => Promise.resolve().then(f); await f()',
      { kind: 'limit', message: /more than 64 MB/ },
    ],
    ['a growing text', 'let s = "x"; for (;;) s += s', { message: /too long|memory/ }],
    [
      'much memory',
      '\n\nreturn new Array(1e9).fill(0)',
      { kind: 'limit', message: /more than 64 MB/, line: 3 },
    ],
    [
      'deep recursion',
      '\nfunction f() { return f() + 1 }\nf()',
      { kind: 'error', message: /calls itself too deeply/, line: 2 },
    ],
    ['deep values', 'JSON.parse("[".repeat(1e6))', { kind: 'limit', message: /too deeply/ }],
    [
      'a huge output',
      'return "x".repeat(2e6)',
      { kind: 'error', message: /The output must have at most 1048576/ },
    ],
    [
      'an output that is not JSON',
      'const a = []; a.push(a); return a',
      { kind: 'error', message: /The output must be JSON/ },
    ],
    [
      'a syntax error',
      'const a = 1;\nconst b = ;\nreturn a',
      { kind: 'syntax', message: /^SyntaxError/, line: 2 },
    ],
    ['a missing brace', 'if (context) {\n  return 1', { kind: 'syntax', line: 2 }],
    ['an error', '\n\nthrow new TypeError("wrong")', { kind: 'error', message: 'TypeError: wrong', line: 3 }],
    [
      'an error after a wait',
      'await null;\nnull.x',
      { kind: 'error', message: /^TypeError: cannot read/, line: 2 },
    ],
    ['no error', 'throw { a: 1 }', { kind: 'error', message: 'The code threw {"a":1}' }],
    [
      'an error that fails',
      'throw { get name() { throw 1 }, toJSON() { throw 2 } }',
      { kind: 'error', message: /cannot be shown/ },
    ],
  ])('%s fails, and the next execution is fine', async (_, source, expected) => {
    await expectFailure(source, expected);
  });

  it('keeps nothing of an execution for the next one', async () => {
    const pollute = `
      Object.prototype.polluted = 1;
      Array.prototype.map = () => 'replaced';
      Promise.prototype.then = null;
      JSON.stringify = () => '"replaced"';
      globalThis.kept = 1;
      return 1`;
    expect(await run(pollute)).toBe(1);
    const [pid] = pool.pids;
    const probe = 'return [typeof {}.polluted, [1].map((x) => x + 1), typeof kept, JSON.stringify(1)]';
    expect(await run(probe)).toEqual(['undefined', [2], 'undefined', '1']);
    // The process is the same one: it is its memory that is restored.
    expect(pool.pids).toEqual([pid]);
  });

  it('shows no memory of an execution to the next one', async () => {
    pool = new SandboxPool(1);
    await run('globalThis.kept = []; for (let i = 0; i < 40; i++) kept.push(new Uint8Array(1e6).fill(255))');
    const [pid] = pool.pids;
    const probe = `
      const grown = [];
      const collect = (make) => { try { grown.push(make()) } catch {} };
      for (const size of [64, 4_000, 3e5, 1e7]) {
        collect(() => new ArrayBuffer(size));
        collect(() => new ArrayBuffer(1).transfer(size));
        collect(() => { const b = new ArrayBuffer(1, { maxByteLength: size }); b.resize(size); return b });
        collect(() => { const b = new SharedArrayBuffer(1, { maxByteLength: size }); b.grow(size); return b });
      }
      return [grown.length > 0, grown.some((one) => new Uint8Array(one).indexOf(255) >= 0)]`;
    expect(await run(probe)).toEqual([true, false]);
    expect(pool.pids).toEqual([pid]);
  });

  it('draws other random numbers in every execution', async () => {
    const drawn = new Set<unknown>();
    for (let i = 0; i < 3; i++) drawn.add(await run('return Math.random()'));
    expect(drawn.size).toBe(3);
    expect(await run('const x = Math.random(); return x >= 0 && x < 1 && x !== Math.random()')).toBe(true);
  });

  it('takes the next execution after one that needed more memory than the process had', async () => {
    pool = new SandboxPool(1);
    expect(await run('globalThis.kept = new Uint8Array(4e7).fill(255); return kept.length')).toBe(4e7);
    const [pid] = pool.pids;
    expect(await run('return new Uint8Array(4e7).includes(255)')).toBe(false);
    expect(pool.pids).toEqual([pid]);
  });

  it('bounds memory that stays in use', async () => {
    pool = new SandboxPool(1);
    const fill = 'globalThis.kept = []; for (;;) kept.push(new Uint8Array(1e6))';
    expect(
      await run(`try { ${fill} } catch { const { length } = kept; kept.length = 0; return length < 72 }`),
    ).toBe(true);
    expect(await failure(fill)).toMatchObject({
      kind: 'limit',
      message: expect.stringMatching('more than 64 MB'),
    });
    expect(await run('return typeof kept')).toBe('undefined');
  });

  it('bounds the processor time of code that is to be short, but not what reading its context takes', async () => {
    const failed = await failure('for (;;);', { cpuMs: 50 });
    expect(failed).toMatchObject({
      kind: 'limit',
      message: 'The code used more than 0.05 s of processor time',
    });
    const names = Array.from({ length: 300_000 }, (_, i) => `name ${i}`);
    expect(await run('return context.names.length', { context: { names }, cpuMs: 50 })).toBe(300_000);
  });

  it('bounds the log', async () => {
    pool = hurried;
    const lines: string[] = [];
    const failed = await failure('for (;;) console.log("x".repeat(1000))', { lines });
    expect(failed.message).toBe('The code used more than 0.1 s of processor time');
    expect(lines.join('\n').length).toBeGreaterThan(260_000);
    expect(lines.join('\n').length).toBeLessThan(264_000);
    pool = shared;
    const [line] = await (async () => {
      const long: string[] = [];
      await run('console.log("x".repeat(1e7))', { lines: long });
      return long;
    })();
    expect(line?.length).toBe(262_145);
  });

  it('fails code that nothing can continue at once', async () => {
    expect(await failure('console.log("waiting"); await new Promise(() => {})')).toEqual({
      kind: 'error',
      message: 'The code waits for something that cannot happen: no call is under way',
      line: null,
    });
    expect(await failure('await platform.emit({}); await new Promise(() => {})')).toMatchObject({
      message: expect.stringMatching('cannot happen'),
    });
    expect(await run('return 1')).toBe(1);
  });

  it('does not run code that has waited in vain', async () => {
    const call = () => new Promise(() => undefined);
    const [first, second] = [new AbortController(), new AbortController()];
    const busy = run('await platform.emit({})', { call, signal: first.signal });
    const waiting = run('return 1', { signal: second.signal });
    second.abort(new Error('in vain'));
    await expect(waiting).rejects.toThrow('in vain');
    first.abort(new Error('enough'));
    await expect(busy).rejects.toThrow('enough');
  });

  it('ends code from outside where it cannot be interrupted', async () => {
    pool = new SandboxPool(1, { ...LIMITS, cpuMs: 60_000, sliceMs: 1_000 });
    expect(await failure(UNINTERRUPTIBLE)).toEqual({
      kind: 'limit',
      message: 'The code ran for more than 3 s at a time',
      line: null,
    });
    expect(await run('return 1')).toBe(1);
  });

  it('ends by itself where it cannot be interrupted and its worker does not end it', async () => {
    const alone = new SandboxProcess(LIMITS);
    await alone.ready;
    const failed = alone.run(toJob(UNINTERRUPTIBLE));
    await expect(failed).rejects.toThrow('The code used more than 0.1 s of processor time');
  });

  it('counts processor time, not the time that a process has to wait for it', async () => {
    const slow = new SandboxProcess({ ...SANDBOX_LIMITS, cpuMs: 5_000, silenceMs: 1_500 });
    await slow.ready;
    const called = Promise.withResolvers<null>();
    const call = () => {
      called.resolve(null);
      return Promise.resolve();
    };
    const source = 'platform.emit({}); const since = Date.now(); while (Date.now() - since < 2000); return 1';
    const running = slow.run(toJob(source, { call }));
    await called.promise;
    const pid = slow.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    await delay(1_900);
    process.kill(pid, 'SIGCONT');
    expect(await running).toMatchObject({ type: 'done', json: '1' });
    slow.kill();
    await slow.ended;
  });

  it('lets code of one person end processes only after pauses, and has another process for others', async () => {
    pool = new SandboxPool(2, LIMITS, 60_000);
    const stop = new AbortController();
    const bomb = () =>
      pool.run(toJob('return new Uint8Array(1e8).length', { owner: 'eve', signal: stop.signal }));
    await expect(bomb()).rejects.toThrow('more than 64 MB');
    const others = Array.from({ length: 10 }, () => bomb().catch((error: unknown) => error));
    const started = new Set<number>();
    for (let i = 0; i < 20; i++) {
      expect(await run(`return ${i}`, { owner: 'ada' })).toBe(i);
      for (const pid of pool.pids) started.add(pid);
    }
    expect(started.size).toBeLessThan(4);
    stop.abort(new Error('enough'));
    for (const error of await Promise.all(others)) expect(error).toMatchObject({ message: 'enough' });
  });

  it('names a lack of memory as such, also if there is none for an error', async () => {
    pool = new SandboxPool(1, { ...SANDBOX_LIMITS, memoryBytes: 8 * 1024 * 1024 }, 0);
    for (const source of [
      'const a = []; for (;;) a.push(new Error("x"))',
      'const a = []; try { for (;;) a.push([a]) } catch { throw null }',
    ])
      expect((await failure(source)).message).toBe('The code used more than 8 MB of memory');
    expect((await failure('throw null')).message).toBe('The code threw null');
  });

  it('makes useful JSON of values, or says why it cannot', async () => {
    const values = `{
      date: new Date(0), map: new Map([['a', 1], ['__proto__', new Map([[1, 2]])]]), set: new Set([1, new Set([2])]),
      error: new TypeError('wrong'), nothing: Object.create(null), point: new (class { x = 1 })(), text: new String('a'),
    }`;
    expect(JSON.stringify(await run(`return ${values}`))).toBe(
      '{"date":"1970-01-01T00:00:00.000Z","map":{"a":1,"__proto__":{"1":2}},"set":[1,[2]],' +
        '"error":{"name":"TypeError","message":"wrong"},"nothing":{},"point":{"x":1},"text":"a"}',
    );
    for (const [value, problem] of [
      ['{ a: 1n }', '"a" is a BigInt: convert it with Number() or String()'],
      ['1n', 'it is a BigInt'],
      ['{ a: Promise.resolve(1) }', '"a" is a promise: await it'],
      ['[new Map([[{}, 1]])]', '"0" is a Map whose keys are no texts'],
      ['{ a: /x/ }', '"a" is no JSON: RegExp'],
      ['new ArrayBuffer(1)', 'it is no JSON: ArrayBuffer'],
      ['{ a: new Uint8Array(1) }', '"a" is a typed array'],
      ['{ a: new WeakMap() }', '"a" is no JSON: WeakMap'],
    ] as const) {
      const { message } = await failure(`return ${value}`);
      expect(message).toMatch(/^(TypeError: )?The output must be JSON: /);
      expect(message).toContain(problem);
    }
    const requests: unknown[] = [];
    const call = (_: string, request: unknown) => Promise.resolve(requests.push(request));
    await run('await platform.emit({ payload: new Map([["a", new Set([1])]]) })', { call });
    expect(requests).toEqual([{ payload: { a: [1] } }]);
  });

  it('formats dates, numbers, and texts for a locale and a time zone', async () => {
    const source = `
      const date = new Date(Date.UTC(2026, 0, 31, 12, 30)), zone = { timeZone: 'Asia/Tokyo' };
      const list = new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' });
      return [
        date.toLocaleString('de-DE', zone), date.toLocaleDateString('en-US'), date.toLocaleTimeString('en-GB'),
        new Date(NaN).toLocaleString(), (1234567.891).toLocaleString('de-DE'), (0.256).toLocaleString('en', { style: 'percent' }),
        12345678901234567890n.toLocaleString('de'), [1.5, 2].map(list.format),
        new Intl.DateTimeFormat('fr-FR', { dateStyle: 'long', ...zone }).format(date),
        new Intl.PluralRules('en', { type: 'ordinal' }).select(2), ['z', 'ä', 'a'].sort((a, b) => a.localeCompare(b, 'de')),
        new Intl.RelativeTimeFormat('en').format(-1, 'day'), 'i'.toLocaleUpperCase('tr'),
        new Intl.DateTimeFormat().resolvedOptions().timeZone,
      ]`;
    expect(await run(source)).toEqual([
      '31.1.2026, 21:30:00',
      '1/31/2026',
      '12:30:00',
      'Invalid Date',
      '1.234.567,891',
      '26%',
      '12.345.678.901.234.567.890',
      ['1,50\u00a0€', '2,00\u00a0€'],
      '31 janvier 2026',
      'two',
      ['a', 'ä', 'z'],
      '1 day ago',
      'İ',
      'UTC',
    ]);
    expect(await failure('return (1).toLocaleString("not a locale")')).toMatchObject({
      message: expect.stringMatching(/^RangeError: Incorrect locale information/),
    });
    expect(await failure('return new Date().toLocaleString("en", { timeZone: "Mars/Base" })')).toMatchObject({
      message: expect.stringMatching(/^RangeError: Invalid time zone/),
    });
    expect(await failure('return new Intl.Segmenter("en")')).toMatchObject({ kind: 'error' });
  });

  it('survives the death of its process', async () => {
    expect(await run('return 1')).toBe(1);
    const [pid = 0] = pool.pids;
    const called = Promise.withResolvers<null>();
    const call = () => {
      called.resolve(null);
      return new Promise(() => undefined);
    };
    const running = failure('await platform.emit({})', { call });
    await called.promise;
    process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ message: 'The sandbox process of the code ended unexpectedly' });
    expect(await run('return 2')).toBe(2);
    expect(pool.pids).not.toContain(pid);
  });

  it('replaces a process after so many executions', async () => {
    pool = new SandboxPool(1, { ...SANDBOX_LIMITS, executions: 20 });
    const pids = new Set<number>();
    for (let i = 0; i < 21; i++) {
      expect(await run(`return ${i}`)).toBe(i);
      for (const pid of pool.pids) pids.add(pid);
    }
    expect(pids.size).toBe(2);
  });
});

describe('host calls', () => {
  it('are promises of their results', async () => {
    const calls: unknown[] = [];
    const call = (action: string, request: unknown) => {
      calls.push([action, request]);
      return Promise.resolve({ action });
    };
    const source = `return Promise.all([
      platform.emit({ applicationIdentifier: 'desk', event: 'a.b', payload: { x: 1 } }),
      platform.agents.execute('agent', { query: 'Hi' }),
      platform.tools.invoke('tool', 'get'),
    ])`;
    expect(await run(source, { call })).toEqual([
      { action: 'emit' },
      { action: 'agent' },
      { action: 'tool' },
    ]);
    expect(calls).toEqual([
      ['emit', { applicationIdentifier: 'desk', event: 'a.b', payload: { x: 1 } }],
      ['agent', { agentId: 'agent', inputs: { query: 'Hi' } }],
      ['tool', { toolId: 'tool', method: 'get', input: {} }],
    ]);
  });

  it('throw errors that the code can catch, with their code', async () => {
    const call = () => Promise.reject(new Error('No such agent'));
    const source = 'try { await platform.agents.execute("x") } catch (e) { return [e.message, e.code] }';
    expect(await run(source, { call })).toEqual(['No such agent', 'FAILED']);
    expect(await failure('\nawait platform.agents.execute("x")', { call })).toMatchObject({
      kind: 'error',
      message: 'No such agent',
      line: 2,
    });
  });

  it('are bounded: 10,000 pending promises fail', async () => {
    const call = () => new Promise(() => undefined);
    const source = 'return Promise.all(Array.from({ length: 10000 }, () => platform.emit({})))';
    expect((await failure(source, { call })).message).toMatch(
      /waits for 20 calls, which is the most at a time/,
    );
    const many = 'for (let i = 0; i < 2000; i++) await platform.emit({})';
    const quick = () => Promise.resolve(null);
    expect((await failure(many, { call: quick })).message).toMatch(/has made 1000 calls/);
    const large = 'const payload = "x".repeat(1e6); for (;;) await platform.emit({ payload })';
    expect((await failure(large, { call: quick })).message).toMatch(/calls of the code have at most 8388608/);
    expect(await run('return 1')).toBe(1);
  });

  it('count what the code uses over all slices', async () => {
    pool = hurried;
    const source = 'for (;;) { for (let i = 0; i < 2e5; i++); await platform.emit({}) }';
    expect(await failure(source, { call: () => Promise.resolve(null) })).toMatchObject({ kind: 'limit' });
  });

  it('of an execution that has ended are forgotten', async () => {
    let answer: (value: unknown) => void = () => undefined;
    const call = () => new Promise((resolve) => (answer = resolve));
    expect(await run('platform.emit({}); return 1', { call })).toBe(1);
    const next = run('return new Promise((resolve) => platform.emit({}).then(resolve))', {
      call: () => Promise.resolve('own'),
    });
    answer('foreign');
    expect(await next).toBe('own');
  });
});

describe('a sandbox process', () => {
  it.each([
    ['dies while it starts', (child: ChildProcess) => child.disconnect()],
    ['is silent', () => undefined],
  ])('is killed, and does not exit by itself, when its worker %s', async (_, act) => {
    const limits = JSON.stringify({ ...LIMITS, silenceMs: 1_500 });
    const child = fork(join(import.meta.dirname, 'child.ts'), [limits], { env: {} });
    act(child);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

describe('the pool', () => {
  it('runs executions side by side, each in a process of its own', async () => {
    const two = new SandboxPool(2, LIMITS);
    pool = two;
    const { promise: both, resolve } = Promise.withResolvers<null>();
    let waiting = 0;
    const call = () => {
      if (++waiting === 2) resolve(null);
      return both;
    };
    await Promise.all(['ada', 'bob'].map((owner) => run('await platform.emit({})', { owner, call })));
    expect(two.pids.length).toBe(2);
  });

  it('keeps processes alive, which end when their worker is silent', async () => {
    const silent = new SandboxPool(1, { ...LIMITS, silenceMs: 4_000 });
    pool = silent;
    expect(await run('return 1')).toBe(1);
    const [pid = 0] = silent.pids;
    process.kill(pid, 0);
    silent.pausePings();
    while (silent.pids.includes(pid)) await delay(50);
    expect(await run('return 2')).toBe(2);
  });
});
