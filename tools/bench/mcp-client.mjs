// Calls a tool of any MCP server over node:http, which uses little CPU time itself.
import { Agent, request } from 'node:http';
import { answer } from './child.mjs';
import { quantile } from './clock.mjs';

const META = 'io.modelcontextprotocol/';
const REVISION = '2026-07-28';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const withAgent = (measure) => async (asked) => {
  const agent = new Agent({ keepAlive: true });
  try {
    return await measure(asked, agent);
  } finally {
    agent.destroy();
  }
};

/** Makes one call. Returns its time in ms. */
function call(agent, { url, headers, tool, modern, tasks }) {
  const meta = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: 'bench', version: '1' },
    [`${META}clientCapabilities`]: tasks ? TASKS : {},
  };
  const params = { name: tool, arguments: { text: 'Hello' }, ...(modern && { _meta: meta }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const version = modern
    ? { 'Mcp-Protocol-Version': REVISION, 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }
    : { 'Mcp-Protocol-Version': '2025-06-18' };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const req = request(url, {
      method: 'POST',
      agent,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Accept: 'application/json, text/event-stream',
        ...version,
        ...headers,
      },
    });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('error', reject);
      res.on('data', (part) => (text += part));
      res.on('end', () => {
        if (res.statusCode === 200 && text.includes('Hello') && !text.includes('"isError":true'))
          resolve(performance.now() - startedAt);
        else reject(new Error(`${url} responded with ${res.statusCode}: ${text.slice(0, 1_000)}`));
      });
    });
    req.end(body);
  });
}

answer({
  /** Runs concurrent callers that make one call after another. Returns the number of completed calls. */
  closed: withAgent(async ({ target, callers, seconds }, agent) => {
    const end = performance.now() + seconds * 1_000;
    let calls = 0;
    const caller = async () => {
      while (performance.now() < end) {
        await call(agent, target);
        calls++;
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return calls;
  }),

  /** Calls all targets in turn. Returns the p50 and p99 of each, in ms. */
  inTurn: withAgent(async ({ targets, calls }, agent) => {
    const times = targets.map(() => []);
    for (let i = 0; i < calls; i++)
      for (const [n, target] of targets.entries()) times[n].push(await call(agent, target));
    return times.map((of) => ({ p50: quantile(of, 0.5), p99: quantile(of, 0.99) }));
  }),
});
