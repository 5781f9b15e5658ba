import { SANDBOX_LIMITS, SandboxPool } from './sandbox-pool.ts';

const LIMITS = { ...SANDBOX_LIMITS, memoryBytes: 8 * 1024 * 1024 };

describe('code that uses all of its memory', () => {
  it.each([
    'let a = []; for (;;) a = [a, a.slice()]',
    'const a = {}; for (let i = 0; ; i++) a["k" + i] = { i }',
    'const a = []; for (;;) a.push("x".repeat(100) + a.length)',
    'const a = []; for (;;) a.push(() => a)',
    'const a = new Map(); for (let i = 0; ; i++) a.set(i, [i])',
    'const a = []; for (;;) a.push(new Error("x"))',
    'const a = []; for (;;) a.push(Promise.resolve(a))',
    'const a = []; for (;;) a.push(new Uint8Array(1000))',
    'const a = []; for (;;) a.push(Symbol())',
    'const a = []; try { for (;;) a.push({}) } catch (error) { throw error }',
    'const a = []; try { for (;;) a.push([a]) } finally { a.push(...a) }',
    'const a = []; for (;;) a.push(/x/g)',
    'const a = []; for (;;) a.push(new Date())',
    'const a = []; for (;;) a.push(1.5 * a.length)',
    'let a = null; for (;;) a = { a }',
    'let a = ""; const b = []; for (;;) { a += "é"; b.push(a + b.length) }',
    'const a = []; for (;;) a.push(10n ** BigInt(a.length + 100))',
    'function f(a) { return f([a, a.concat(a)]) } f([1])',
    'const a = []; const f = async () => { for (;;) { a.push({ f }); await null } }; await Promise.all([f(), f()])',
    'const a = []; for (;;) a.push(JSON.stringify({ a: a.length }))',
    'const a = new Array(1e6).fill(0).map(() => ({})); return a.map(() => a.slice())',
  ])('learns that it did: %s', async (source) => {
    const pool = new SandboxPool(1, LIMITS, 0);
    const job = {
      owner: 'ada',
      source,
      context: '{}',
      signal: new AbortController().signal,
      log: () => undefined,
      call: () => Promise.resolve('null'),
      toCallError: () => ({ code: 'FAILED', message: 'failed' }),
    };
    await expect(pool.run(job)).rejects.toThrow(
      /more than 8 MB of memory|calls itself too deeply|string length/,
    );
    await pool.close();
  });
});
