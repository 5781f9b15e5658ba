// A model server with paced responses. The user's message contains the order, `{ tokens, rate, waitMs }`: rate is in
// tokens per second, 0 for as fast as the reader accepts them. The first token is the time at which the call arrived.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answer } from './child.mjs';
import { now, stamp } from './clock.mjs';

const TICK_MS = 2;
const TOKENS_PER_WRITE = 64;

const chunk = (fields) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'bench', ...fields })}\n\n`;
const [BEFORE, AFTER] = chunk({
  choices: [{ index: 0, delta: { content: '|' }, finish_reason: null }],
}).split('|');
const delta = (content) => BEFORE + content + AFTER;

const paced = new Set();

const server = createServer(async (req, res) => {
  const calledAt = now();
  const { order, stream } = await readCall(req);
  const { tokens, rate, waitMs } = order;
  if (!stream) {
    whole(res, tokens);
    return;
  }
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  res.flushHeaders();
  const answering = { res, tokens, sent: 0, calledAt, gapMs: 1000 / rate, due: performance.now() + waitMs };
  if (rate === 0) await burst(answering);
  else paced.add(answering);
});

setInterval(() => {
  const time = performance.now();
  for (const answering of paced) {
    while (answering.due <= time && answering.sent < answering.tokens) {
      answering.res.write(delta(next(answering)), 'latin1');
      answering.due += answering.gapMs;
    }
    if (answering.sent === answering.tokens || answering.res.destroyed) {
      paced.delete(answering);
      end(answering);
    }
  }
}, TICK_MS);

async function burst(answering) {
  const { res, tokens } = answering;
  let wake = () => {};
  res.on('drain', () => wake()).on('close', () => wake());
  while (answering.sent < tokens && !res.destroyed) {
    let text = delta(next(answering));
    const more = Math.min(TOKENS_PER_WRITE, tokens - answering.sent);
    text += delta(stamp(now())).repeat(more);
    answering.sent += more;
    if (!res.write(text, 'latin1')) await new Promise((resolve) => (wake = resolve));
  }
  end(answering);
}

/** Returns the text of the next token. The first two are sent together. */
function next(answering) {
  const first = answering.sent === 0 ? stamp(answering.calledAt) : '';
  answering.sent += first ? 2 : 1;
  return first + stamp(now());
}

function end({ res, tokens }) {
  res.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  res.end(`${chunk({ choices: [], usage: usageOf(tokens) })}data: [DONE]\n\n`);
}

function whole(res, tokens) {
  const message = { role: 'assistant', content: stamp(now()).repeat(tokens) };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const answered = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'bench', choices };
  const body = JSON.stringify({ ...answered, usage: usageOf(tokens) });
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}

const usageOf = (tokens) => ({ prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens });

async function readCall(req) {
  let body = '';
  for await (const part of req.setEncoding('utf8')) body += part;
  const { messages, stream } = JSON.parse(body);
  const { content } = messages.at(-1);
  return { order: JSON.parse(typeof content === 'string' ? content : content[0].text), stream };
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
answer({ url: () => `http://127.0.0.1:${server.address().port}/v1` });
