import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { transform } from '@swc/core';
import { sse, turnFrames } from '../test/fixtures.ts';
import { startStream, TestServer } from '../test/test-server.ts';

const CLIENT = new URL('./index.ts', import.meta.url);
const CONTRACTS = new URL('../../contracts/src/index.ts', import.meta.url);

/** The globals that browsers and Node.js have in common. */
const WEB_GLOBALS = {
  AbortController,
  AbortSignal,
  crypto,
  fetch,
  Headers,
  queueMicrotask,
  ReadableStream,
  Response,
  setTimeout,
  clearTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

/** Loads the files of the library into a context. Throws if they import anything else. */
async function load(context: vm.Context): Promise<vm.Module> {
  const modules = new Map<string, Promise<vm.SourceTextModule>>();
  const compile = async (url: URL): Promise<vm.SourceTextModule> => {
    const { code } = await transform(await readFile(url, 'utf8'), {
      filename: fileURLToPath(url),
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    return new vm.SourceTextModule(code, { context, identifier: url.href });
  };
  const resolve = (specifier: string, from: string): URL => {
    if (specifier === '@platform/contracts') return CONTRACTS;
    if (!specifier.startsWith('.')) throw new Error(`${from} imports ${specifier}`);
    return new URL(specifier, from);
  };
  const link = (url: URL): Promise<vm.SourceTextModule> => {
    const known = modules.get(url.href) ?? compile(url);
    modules.set(url.href, known);
    return known;
  };
  const entry = await link(CLIENT);
  await entry.link((specifier, { identifier }) => link(resolve(specifier, identifier)));
  await entry.evaluate();
  return entry;
}

describe('the library', () => {
  it('loads and streams with web standards only', async () => {
    const server = await new TestServer().start();
    try {
      server.handle = (_, response) => {
        startStream(response);
        response.end(sse(turnFrames(['only ', 'the web'])));
      };
      const context = vm.createContext({ ...WEB_GLOBALS });
      const nodeGlobals = vm.runInContext(
        '`${typeof process} ${typeof Buffer} ${typeof require}`',
        context,
      ) as string;
      expect(nodeGlobals).toBe('undefined undefined undefined');
      const { PlatformClient } = (await load(context)).namespace as typeof import('./index.ts');
      const client = new PlatformClient({ baseUrl: server.url, accessToken: 't' });
      const stream = client.agents.chatStream('a-1', { contents: [{ type: 'text', text: 'hi' }] });
      expect(await stream.text()).toBe('only the web');
    } finally {
      await server.stop();
    }
  });

  it('depends on no other package', () => {
    const manifest = createRequire(import.meta.url)('../package.json') as object;
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(manifest).not.toHaveProperty(field);
  });

  it('exports the wire constants and the public API', async () => {
    const constants = Object.keys(await import('@platform/contracts'));
    const names = Object.keys(await import('./index.ts'));
    expect(names).toEqual(expect.arrayContaining(constants));
    expect(names.filter((name) => !constants.includes(name)).sort()).toEqual([
      'AgentJobError',
      'AgentStreamClient',
      'AgentStreamDecoder',
      'AgentStreamError',
      'AgentStreamFailedError',
      'ApiPromise',
      'PagePromise',
      'PlatformClient',
      'PlatformConnectionError',
      'PlatformError',
      'PlatformTimeoutError',
      'emitManagedEvent',
      'paginate',
      'toProductEvent',
    ]);
  });
});
