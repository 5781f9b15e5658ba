import fc from 'fast-check';
import { FRAME_METHODS } from '@platform/contracts';
import type { Frame } from '@platform/contracts';
import { frame, frameOf, sse, turnFrames } from '../test/fixtures.ts';
import { AgentStreamError } from './errors.ts';
import { toProductEvent } from './product-event.ts';
import { AgentStreamDecoder } from './stream-decoder.ts';

const utf8 = new TextEncoder();

// A recorded stream, pinned literally.
const RECORDED =
  ': hb\n\n' +
  'id: 1.1\ndata: {"type":"event","method":"custom:platform","params":{"namespace":[],"timestamp":1760000000001,"data":{"event":"session-started","sessionId":"s-1","turnId":"0199a1b2-0000-4000-8000-000000000001","segment":1,"agentId":"a-1","model":"platform/offline","requestId":"req-1","resumed":false}},"seq":1}\n\n' +
  'id: 1.2\ndata: {"type":"event","method":"messages","params":{"namespace":[],"timestamp":1760000000002,"data":{"event":"message-start","role":"ai","id":"m-1"}},"seq":2}\n\n' +
  ': hb\n\n' +
  'id: 1.3\ndata: {"type":"event","method":"custom:platform","params":{"namespace":[],"timestamp":1760000000003,"data":{"event":"content-delta","delta":"Grüße, 世界 👋"}},"seq":3}\n\n' +
  'id: 1.4\ndata: {"type":"event","method":"custom:platform","params":{"namespace":[],"timestamp":1760000000004,"data":{"event":"stream-ended","lastSeq":4}},"seq":4}\n\n';

function decodeAll(chunks: Iterable<Uint8Array | string>, after?: number): Frame[] {
  const decoder = new AgentStreamDecoder(after === undefined ? {} : { after });
  const frames = [...chunks].flatMap((chunk) => decoder.push(chunk));
  decoder.end();
  return frames;
}

function failureOf(act: () => unknown): AgentStreamError {
  try {
    act();
  } catch (error) {
    if (error instanceof AgentStreamError) return error;
    throw error;
  }
  throw new Error('No AgentStreamError was thrown');
}

describe('AgentStreamDecoder', () => {
  it('decodes a recorded stream', () => {
    const frames = decodeAll([utf8.encode(RECORDED)]);
    expect(frames.map(({ seq, method }) => [seq, method])).toEqual([
      [1, 'custom:platform'],
      [2, 'messages'],
      [3, 'custom:platform'],
      [4, 'custom:platform'],
    ]);
    expect(frames.map((each) => toProductEvent(each)?.event)).toEqual([
      'session.started',
      undefined,
      'content.delta',
      'stream.ended',
    ]);
    expect(frames[2]?.params.data).toEqual({ event: 'content-delta', delta: 'Grüße, 世界 👋' });
  });

  it('returns the same frames if every byte arrives separately', () => {
    const bytes = utf8.encode(RECORDED);
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(decodeAll(single)).toEqual(decodeAll([bytes]));
  });

  it('returns the same frames for every split, also inside a UTF-8 sequence', () => {
    const bytes = utf8.encode(RECORDED);
    const whole = decodeAll([bytes]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(decodeAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it('accepts text as well as bytes', () => {
    expect(decodeAll([RECORDED.slice(0, 100), RECORDED.slice(100)])).toEqual(
      decodeAll([utf8.encode(RECORDED)]),
    );
  });

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['CR', (text: string) => text.replaceAll('\n', '\r')],
  ])('reads %s line ends, split anywhere', (_, convert) => {
    const bytes = utf8.encode(convert(RECORDED));
    const whole = decodeAll([utf8.encode(RECORDED)]);
    for (let at = 0; at <= bytes.length; at++) {
      expect(decodeAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it('joins data lines, and ignores comments, unknown fields, and a byte order mark', () => {
    const end = JSON.stringify(frame(1, 'stream-ended', { lastSeq: 1 }));
    const cutAt = end.indexOf(',') + 1;
    const stream = `\uFEFFretry: 10\nevent: x\n:note\ndata:${end.slice(0, cutAt)}\ndata\ndata: ${end.slice(cutAt)}\n\n`;
    expect(decodeAll([utf8.encode(stream)])).toEqual([frame(1, 'stream-ended', { lastSeq: 1 })]);
    expect(decodeAll([stream])).toHaveLength(1);
  });

  it('reads a split CRLF as one line end', () => {
    const end = JSON.stringify(frame(1, 'stream-ended', { lastSeq: 1 }));
    const middle = end.indexOf(',') + 1;
    const stream = `data: ${end.slice(0, middle)}\r\ndata: ${end.slice(middle)}\r\n\r\n`;
    expect(decodeAll(stream)).toHaveLength(1);
  });

  it('ignores an event without its blank line', () => {
    const decoder = new AgentStreamDecoder();
    expect(decoder.push(sse(frame(1, 'content-delta', { delta: 'x' })).trimEnd())).toEqual([]);
    expect(decoder.lastSeq).toBe(0);
    expect(decoder.push('\n\n')).toHaveLength(1);
    expect(decoder.lastSeq).toBe(1);
  });

  it('reads position and segment from the ids', () => {
    const decoder = new AgentStreamDecoder({ after: 6 });
    expect(decoder.segment).toBeNull();
    decoder.push(sse(frame(7, 'content-delta', { delta: 'x' }), 3));
    expect([decoder.lastEventId, decoder.segment, decoder.lastSeq]).toEqual(['3.7', 3, 7]);
  });

  it('supports exactly the five methods of the protocol', () => {
    expect(FRAME_METHODS).toEqual(['custom:platform', 'messages', 'tools', 'lifecycle', 'input']);
    const decoder = new AgentStreamDecoder();
    const frames = FRAME_METHODS.map((method, i) => frameOf(method, i + 1, { event: 'x' }));
    expect(frames.flatMap((each) => decoder.push(sse(each)))).toEqual(frames);
  });

  it.each<[string, string, string]>([
    ['a gap', sse(frame(3, 'content-delta')), 'sequence_gap'],
    ['a repetition', sse(frame(1, 'content-delta')), 'sequence_gap'],
    ['an unknown method', sse(frame(2, 'x')).replace('custom:platform', 'values'), 'unsupported_method'],
    [
      'a method of Object.prototype',
      sse(frame(2, 'x')).replace('custom:platform', 'toString'),
      'unsupported_method',
    ],
    ['no JSON', 'data: [DONE]\n\n', 'malformed_frame'],
    ['another JSON value', 'data: null\n\n', 'malformed_frame'],
    ['another type', sse(frame(2, 'x')).replace('"type":"event"', '"type":"other"'), 'malformed_frame'],
    ['no params', 'data: {"type":"event","method":"tools","seq":2}\n\n', 'malformed_frame'],
    ['a fractional seq', sse(frame(1.5, 'x')), 'malformed_frame'],
    ['a seq in a string', sse(frame(2, 'x')).replace('"seq":2', '"seq":"2"'), 'malformed_frame'],
    [
      'a product event without a name',
      'data: {"type":"event","method":"custom:platform","params":{"data":{}},"seq":2}\n\n',
      'malformed_frame',
    ],
  ])('rejects %s', (_, bad, code) => {
    const good = frame(1, 'content-delta', { delta: 'x' });
    const decoder = new AgentStreamDecoder();
    const error = failureOf(() => decoder.push(sse(good) + bad + sse(frame(2, 'content-delta'))));
    expect([error.code, error.lastValidSeq, error.validFrames]).toEqual([code, 1, [good]]);
    expect(failureOf(() => decoder.push(sse(frame(2, 'content-delta'))))).toBe(error);
    expect(failureOf(() => decoder.end())).toBe(error);
  });

  it('rejects frames after stream-ended, but not heartbeats', () => {
    const decoder = new AgentStreamDecoder();
    decoder.push(sse(frame(1, 'stream-ended', { lastSeq: 1 })));
    expect(decoder.ended).toBe(true);
    expect(decoder.push(': hb\n\n')).toEqual([]);
    const error = failureOf(() => decoder.push(sse(frame(2, 'content-delta'))));
    expect([error.code, error.lastValidSeq]).toEqual(['frame_after_end', 1]);
  });

  it('continues after a position, and rejects earlier frames', () => {
    expect(new AgentStreamDecoder({ after: 4 }).push(sse(frame(5, 'x')))).toHaveLength(1);
    expect(failureOf(() => new AgentStreamDecoder({ after: 4 }).push(sse(frame(1, 'x')))).code).toBe(
      'sequence_gap',
    );
  });

  it('reports a stream that ended too early', () => {
    const decoder = new AgentStreamDecoder();
    decoder.push(sse(frame(1, 'content-delta')));
    const error = failureOf(() => decoder.end());
    expect([error.code, error.lastValidSeq]).toEqual(['truncated', 1]);
  });

  it('does not buffer an endless line', () => {
    const decoder = new AgentStreamDecoder();
    const push = () => {
      for (let i = 0; i < 20; i++) decoder.push('x'.repeat(100_000));
    };
    expect(failureOf(push).code).toBe('malformed_frame');
  });

  it('returns the same frames for any stream and any split (property)', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    const stream = fc.record({
      words: fc.array(text, { maxLength: 8 }),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      heartbeatEvery: fc.integer({ min: 1, max: 4 }),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(stream, ({ words, lineEnd, heartbeatEvery, cuts }) => {
        const frames = turnFrames(words.map((word) => word.toWellFormed()));
        const sent = frames
          .map((each) => (each.seq % heartbeatEvery === 0 ? ': hb\n\n' : '') + sse(each))
          .join('');
        const bytes = utf8.encode(sent.replaceAll('\n', lineEnd));
        const marks = [
          0,
          ...cuts.map((cut) => Math.round(cut * bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = marks.slice(1).map((mark, i) => bytes.subarray(marks[i], mark));
        expect(decodeAll(chunks)).toEqual(frames);
      }),
      { numRuns: 300 },
    );
  });
});

describe('toProductEvent', () => {
  it.each([
    ['session-started', 'session.started'],
    ['content-delta', 'content.delta'],
    ['tool-execution', 'tool.execution'],
    ['knowledge-evidence', 'knowledge.evidence'],
    ['agent-input-required', 'agent.input.required'],
    ['local-tool-call', 'local.tool.call'],
    ['context-usage', 'context.usage'],
    ['response-completed', 'response.completed'],
    ['turn-persist-pending', 'turn.persist_pending'],
    ['error-occurred', 'error.occurred'],
    ['stream-ended', 'stream.ended'],
  ])('reads %s as %s', (wire, name) => {
    expect(toProductEvent(frame(1, wire, { field: 1 }))).toEqual({ event: name, field: 1 });
  });

  it('returns null for other methods and unknown events', () => {
    expect(toProductEvent(frameOf('tools', 1, { event: 'content-delta' }))).toBeNull();
    expect(toProductEvent(frame(1, 'shiny-new-event'))).toBeNull();
    expect(toProductEvent(frame(1, 'constructor'))).toBeNull();
  });
});
