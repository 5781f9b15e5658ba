import fc from 'fast-check';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { SseUsage } from './sse-usage.ts';

const event = (data: object, end = '\n\n') => `data: ${JSON.stringify(data)}${end}`;
const text = (content: string, more: object = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const figures = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const USAGE = { promptTokens: 10, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 };
const usageChunk = { id: 'c', choices: [], usage: figures };
const DONE = 'data: [DONE]\n\n';

/** Pushes a text cut at the given places, and returns what is passed on. */
function through(stream: string, hide: boolean, cuts: number[] = []) {
  const filter = new SseUsage(hide);
  const bytes = Buffer.from(stream);
  const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  const parts = places.slice(1).map((end, i) => filter.push(bytes.subarray(places[i], end)));
  return { text: Buffer.concat([...parts, filter.end()]).toString(), usage: filter.usage };
}

describe('SseUsage', () => {
  const before = event(text('Hello')) + event(text(' wörld'));
  const stream = before + event(usageChunk) + DONE;

  it('removes the usage if it was not requested', () => {
    expect(through(stream, true)).toEqual({ text: before + DONE, usage: USAGE });
  });

  it('keeps them unchanged', () => {
    expect(through(stream, false)).toEqual({ text: stream, usage: USAGE });
  });

  it('does so wherever the stream is cut', () => {
    const cuts = fc.array(fc.nat({ max: 1_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, (places) => {
        expect(through(stream, true, places)).toEqual({ text: before + DONE, usage: USAGE });
        expect(through(stream, false, places)).toEqual({ text: stream, usage: USAGE });
      }),
    );
  });

  it.each([
    ['"usage":null in each chunk', event(text('a', { usage: null })) + event(text('b', { usage: null }))],
    ['text that looks like figures', event(text('{"id":1,"choices":[],"usage":{"prompt_tokens":9}}'))],
    ['usage that is no object', event({ choices: [], usage: 7 })],
    ['nonsense', 'data: {"choices":[],"usage":{\n\n'],
    ['comments and other fields', ': hi\n\nevent: x\nid: 1\ndata: {}\n\n'],
    ['no stream at all', '{"error":"no"}'],
  ])('keeps %s', (_, kept) => {
    expect(through(kept, true)).toEqual({ text: kept, usage: null });
    expect(through(kept + event(usageChunk) + DONE, true).text).toBe(
      kept.endsWith('\n\n') ? kept + DONE : kept + event(usageChunk) + DONE,
    );
  });

  it('keeps the last choice although it contains the usage', () => {
    const last = event(text('a', { usage: figures }));
    expect(through(last + DONE, true)).toEqual({ text: last + DONE, usage: USAGE });
  });

  it('takes out several, and the last one counts', () => {
    const later = { ...usageChunk, usage: { ...figures, completion_tokens: 5 } };
    const { text: kept, usage } = through(event(usageChunk) + before + event(later) + DONE, true);
    expect(kept).toBe(before + DONE);
    expect(usage?.completionTokens).toBe(5);
  });

  it('reads CRLF, spaces between tokens, and data over several lines', () => {
    const crlf = event(text('a'), '\r\n\r\n');
    expect(through(crlf + event(usageChunk, '\r\n\r\n'), true)).toEqual({ text: crlf, usage: USAGE });
    const spaced = `data: ${JSON.stringify(usageChunk, null, 1).replaceAll('\n', '\ndata: ')}\n\n`;
    expect(through(before + spaced + DONE, true)).toEqual({ text: before + DONE, usage: USAGE });
  });

  it('ends events at carriage returns alone, wherever the stream is cut, and keeps CRLF', () => {
    const alone = stream.replaceAll('\n', '\r');
    const pairs = stream.replaceAll('\n', '\r\n');
    expect(new SseUsage(false).push(Buffer.from(alone)).toString()).toBe(before + event(usageChunk));
    for (let cut = 0; cut < pairs.length; cut++) {
      expect(through(alone, true, [cut])).toEqual({ text: before + DONE.slice(0, -1) + '\r', usage: USAGE });
      expect(through(pairs, false, [cut])).toEqual({ text: pairs, usage: USAGE });
    }
  });

  it('reads cached and reasoning tokens', () => {
    const usage = {
      ...figures,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 1 },
    };
    expect(through(event({ ...usageChunk, usage }), true).usage).toEqual({
      ...USAGE,
      cachedTokens: 4,
      reasoningTokens: 1,
    });
  });

  it('forwards complete events immediately and holds back incomplete ones', () => {
    const filter = new SseUsage(true);
    expect(filter.push(Buffer.from(`${before}data: {"ch`)).toString()).toBe(before);
    expect(filter.push(Buffer.from('oices":[]')).toString()).toBe('');
    expect(filter.push(Buffer.from('}\n\n')).toString()).toBe('data: {"choices":[]}\n\n');
  });

  it('forwards an event of more than 1 MB in pieces', () => {
    const filter = new SseUsage(true);
    const piece = Buffer.alloc(600_000, 'x');
    expect(filter.push(piece)).toHaveLength(0);
    expect(filter.push(piece)).toHaveLength(1_200_000);
  });

  it.each([
    ['CRLF events with usage', 'data: {"usage":{}}\r\n\r\n'.repeat(50_000)],
    ['one event with usage again and again', `data: ${'{"usage":{'.repeat(100_000)}\n\n`],
    ['lines without an end', 'data: {"usage":{\n'.repeat(50_000)],
  ])('reads a megabyte of %s in linear time', async (_, hostile) => {
    const filter = new SseUsage(true);
    const spent = await cpuMsOf(() => {
      const parts = [filter.push(Buffer.from(hostile)), filter.end()];
      expect(Buffer.concat(parts).toString()).toBe(hostile);
    });
    expect(spent).toBeLessThan(5_000);
  });

  it('takes an unfinished event of single bytes in linear time', async () => {
    const filter = new SseUsage(true);
    const byte = Buffer.from('x');
    let sent = 0;
    const spent = await cpuMsOf(() => {
      for (let i = 0; i < 1_000_000; i++) sent += filter.push(byte).length;
    });
    expect(sent + filter.end().length).toBe(1_000_000);
    expect(spent).toBeLessThan(10_000);
  });
});
