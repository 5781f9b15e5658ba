// fastmcp as a proxy: its tool `echo` calls that of the server behind it. Arguments: its folder, the server, and its port.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answer } from './child.mjs';

const [folder, backend, port] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { FastMCP } = await load('fastmcp');
const { z } = await load('zod');
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');

const client = new Client({ name: 'proxy', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(`${backend}/mcp`)));

const proxy = new FastMCP({ name: 'proxy', version: '1.0.0', logger: silent() });
proxy.addTool({
  name: 'echo',
  description: 'Returns the text.',
  parameters: z.object({ text: z.string() }),
  execute: (args) => client.callTool({ name: 'echo', arguments: args }),
});
await proxy.start({
  transportType: 'httpStream',
  httpStream: { host: '127.0.0.1', port: Number(port), endpoint: '/mcp', stateless: true },
});

answer({ ready: () => true });

function silent() {
  const none = () => undefined;
  return { debug: none, error: console.error, info: none, log: none, warn: none };
}
