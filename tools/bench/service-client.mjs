// Chats with the service over node:http, which uses little CPU time itself.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { serveLoad } from './load.mjs';

const { url, agentId, keys } = JSON.parse(process.argv[2]);
const DELTA = '"event":"content-delta","delta":"';
const COMPLETED = '"event":"response-completed"';

const agent = new Agent({ keepAlive: true });
let calls = 0;

serveLoad(async (order, onText) => {
  const req = request(`${url}/api/agents/${agentId}/chat`, {
    method: 'POST',
    agent,
    headers: {
      Authorization: `Bearer ${keys[calls++ % keys.length]}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      'X-Platform-Stream-Protocol': 'langgraph-v3',
    },
  });
  req.end(JSON.stringify({ contents: [{ type: 'text', text: JSON.stringify(order) }] }));
  const [res] = await once(req, 'response');
  let frames = '';
  let completed = false;
  for await (const bytes of res.setEncoding('latin1')) {
    frames += bytes;
    const end = frames.lastIndexOf('\n\n');
    if (end < 0) continue;
    for (let at = frames.indexOf(DELTA); at >= 0 && at < end; at = frames.indexOf(DELTA, at)) {
      at += DELTA.length;
      onText(frames.slice(at, frames.indexOf('"', at)));
    }
    completed ||= frames.includes(COMPLETED);
    frames = frames.slice(end + 2);
  }
  if (!completed) throw new Error(`The turn failed: ${res.statusCode} ${frames}`);
});
