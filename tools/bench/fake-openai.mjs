// A model server whose answers keep a pace. The user's message is the order: `{ tokens, rate, waitMs }`,
// rate in tokens per second, 0 for as fast as the reader takes them. The first token says when the call came in.
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
  const { tokens, rate, waitMs } = await orderOf(req);
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

/** The text of the next token; the first two travel together. */
function next(answering) {
  const first = answering.sent === 0 ? stamp(answering.calledAt) : '';
  answering.sent += first ? 2 : 1;
  return first + stamp(now());
}

function end({ res, tokens }) {
  const usage = { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens };
  res.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  res.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}

async function orderOf(req) {
  let body = '';
  for await (const part of req.setEncoding('utf8')) body += part;
  const { content } = JSON.parse(body).messages.at(-1);
  return JSON.parse(typeof content === 'string' ? content : content[0].text);
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
answer({ url: () => `http://127.0.0.1:${server.address().port}/v1` });
