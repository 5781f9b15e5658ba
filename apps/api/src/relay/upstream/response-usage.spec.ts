import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { ResponseTail } from './response-tail.ts';
import { estimateCompletionTokens, findUsage } from './response-usage.ts';

const figures = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const USAGE = { promptTokens: 10, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 };

function tailOf(text: string, limit?: number): ResponseTail {
  const tail = new ResponseTail(limit);
  for (let at = 0; at < text.length; at += 50) tail.push(Buffer.from(text.slice(at, at + 50)));
  return tail;
}

describe('AnswerTail', () => {
  it('keeps at least the last bytes of the limit', () => {
    const tail = tailOf('x'.repeat(500) + 'end', 100);
    expect(tail.total).toBe(503);
    expect(tail.isComplete).toBe(false);
    const kept = tail.bytes().toString();
    expect(kept).toMatch(/^x{97,}end$/);
    expect(kept.length).toBeLessThan(200);
  });

  it('reads a response of single bytes in linear time', () => {
    const tail = new ResponseTail();
    const byte = Buffer.from('x');
    for (let i = 0; i < 1_000_000; i++) tail.push(byte);
    expect(tail.total).toBe(1_000_000);
    expect(tail.bytes().length).toBeLessThan(512 * 1024);
  });
});

describe('usageOf', () => {
  it.each([
    ['at the end', JSON.stringify({ choices: [], usage: figures, service_tier: 'default' })],
    ['at the start', JSON.stringify({ usage: figures, data: [{ embedding: [1, 2] }] })],
    ['with spaces', JSON.stringify({ usage: figures }, null, 2)],
    ['with details', JSON.stringify({ usage: { ...figures, prompt_tokens_details: { cached_tokens: 0 } } })],
    ['before other figures', JSON.stringify({ usage: figures, x: { usage: { total_time: 0.5 } } })],
    ['behind megabytes', `{"data":[${'0.123,'.repeat(500_000)}0],"usage":${JSON.stringify(figures)}}`],
  ])('finds them %s', (_, text) => expect(findUsage(tailOf(text))).toEqual(USAGE));

  it.each([
    ['nothing', ''],
    ['null', '{"usage":null}'],
    ['an answer cut off', '{"usage":{"prompt_tokens":1,"compl'],
    ['text of the model', JSON.stringify({ content: '"usage":{"prompt_tokens":1}' })],
  ])('finds none in %s', (_, text) => expect(findUsage(tailOf(text))).toBeNull());
});

describe('usageOf a hostile answer', () => {
  const BOUND_MS = 2_000;

  it.each([
    ['29,000 times', '"usage":{'.repeat(29_000)],
    ['nested', '{"usage":'.repeat(29_000)],
    ['closed', '"usage":{}'.repeat(26_000)],
    ['full of braces', `"usage":{${'{}'.repeat(130_000)}`],
  ])('reads figures that come %s in bounded time', async (_, text) => {
    const tail = new ResponseTail();
    tail.push(Buffer.from(text));
    expect(await cpuMsOf(() => expect(findUsage(tail)).toBeNull())).toBeLessThan(BOUND_MS);
  });

  it('finds true figures behind a few that are none', () => {
    const text = `{"usage":${JSON.stringify(figures)},"a":${'{"usage":{'.repeat(10)}`;
    expect(findUsage(tailOf(text))).toEqual(USAGE);
  });
});

describe('estimateAnswer', () => {
  const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;

  it('counts text, reasoning and calls of a stream, also of a broken one', async () => {
    const stream =
      event({ role: 'assistant', content: '' }) +
      event({ reasoning_content: 'hello' }) +
      event({ content: ' world' }) +
      event({ tool_calls: [{ function: { name: 'hello' } }] }) +
      'data: {"choices":[{"delta":{"content":" wor';
    expect(await estimateCompletionTokens(tailOf(stream), true)).toBe(3);
  });

  it('counts a complete response', async () => {
    const answer = JSON.stringify({ choices: [{ message: { content: 'hello world' } }] });
    expect(await estimateCompletionTokens(tailOf(answer), false)).toBe(2);
  });

  it('is 0 if nothing was generated', async () => {
    expect(await estimateCompletionTokens(tailOf(''), true)).toBe(0);
    expect(await estimateCompletionTokens(tailOf('{"data":[]}'), false)).toBe(0);
  });

  it('goes by the part that is kept', async () => {
    const tokens = await estimateCompletionTokens(
      tailOf(event({ content: ' word' }).repeat(1_000), 5_000),
      true,
    );
    expect(tokens).toBeGreaterThan(950);
    expect(tokens).toBeLessThan(1_010);
  });
});
