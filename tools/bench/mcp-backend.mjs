// The server at the end: an MCP server with a tool `echo`, which plain HTTP serves as well, for methods of tools.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { answer } from './child.mjs';

// The packages of the API.
const require = createRequire(new URL('../../apps/api/package.json', import.meta.url));
const { toNodeHandler } = require('@modelcontextprotocol/node');
const { createMcpHandler, McpServer } = require('@modelcontextprotocol/server');

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const handle = toNodeHandler(
  createMcpHandler(() => {
    const served = new McpServer({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
    const { server } = served;
    server.setRequestHandler('tools/list', () => ({
      tools: [
        { name: 'echo', description: 'Returns the text.', inputSchema, annotations: { readOnlyHint: true } },
      ],
    }));
    server.setRequestHandler('tools/call', ({ params }) => ({
      content: [{ type: 'text', text: String(params.arguments?.text) }],
    }));
    return served;
  }),
);

const server = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
  if (req.url.startsWith('/mcp')) return handle(req, res, body);
  const text = new URL(req.url, 'http://x').searchParams.get('text');
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ text }));
}).listen(0, '127.0.0.1');
server.keepAliveTimeout = 60_000;
await once(server, 'listening');

answer({ url: () => `http://127.0.0.1:${server.address().port}` });
