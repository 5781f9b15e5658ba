// Chats with the service over node:http, which uses little CPU time itself. With a `followUrl` it starts jobs instead, and
// follows their streams there.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveLoad } from './load.mjs';

const { url, agentId, keys, followUrl } = JSON.parse(process.argv[2]);
const DELTA = '"event":"content-delta","delta":"';
const COMPLETED = '"event":"response-completed"';

const agent = new Agent({ keepAlive: true });
let calls = 0;

async function call(method, url, key, body) {
  const req = request(url, {
    method,
    agent,
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      'X-Platform-Stream-Protocol': 'langgraph-v3',
    },
  });
  req.end(body && JSON.stringify(body));
  const [res] = await once(req, 'response');
  return res;
}

async function open(order) {
  const key = keys[calls++ % keys.length];
  const contents = [{ type: 'text', text: JSON.stringify(order) }];
  if (followUrl === undefined) return call('POST', `${url}/api/agents/${agentId}/chat`, key, { contents });
  const { id } = await json(await call('POST', `${url}/api/agent-jobs`, key, { agentId, contents }));
  for (;;) {
    const res = await call('GET', `${followUrl}/api/agent-jobs/${id}/stream`, key);
    // The job has not started yet.
    if (res.statusCode !== 404) return res;
    res.resume();
    await sleep(20);
  }
}

serveLoad(async (order, onText) => {
  const res = await open(order);
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
