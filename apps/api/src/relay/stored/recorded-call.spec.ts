import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import type { UpstreamCall } from '../upstream/upstream-call.ts';
import { RecordedCall } from './recorded-call.ts';

const STREAM = 'text/event-stream';

/** A call whose id is recorded when the test says so. */
function recordedCall({ awaitsReader = false } = {}) {
  const steps: string[] = [];
  const ids: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const controller = {
    aborted: false,
    pause: () => void steps.push('pause'),
    resume: () => void steps.push('resume'),
  } as unknown as Dispatcher.DispatchController;
  const inner = {
    awaitsReader,
    onRequestStart: () => undefined,
    onResponseStart: () => undefined,
    onResponseData: (_: unknown, chunk: Buffer) => void steps.push(chunk.toString()),
    onResponseEnd: () => void steps.push('end'),
    onResponseError: (_: unknown, error: Error) => void steps.push(error.message),
  } as unknown as UpstreamCall;
  const call = new RecordedCall(inner, (found) => {
    ids.push(...found);
    return promise;
  });
  const begin = (status = 200, type = 'application/json') =>
    call.onResponseStart(controller, status, { 'content-type': type });
  const send = (...chunks: string[]) => {
    for (const chunk of chunks) call.onResponseData(controller, Buffer.from(chunk));
  };
  const recorded = async () => {
    resolve();
    await new Promise((done) => setImmediate(done));
  };
  const end = () => call.onResponseEnd(controller);
  return { call, controller, steps, ids, begin, send, end, recorded };
}

describe('a recorded call', () => {
  it('forwards nothing from the id on until the id is recorded, and then everything in order', async () => {
    const { steps, ids, begin, send, end, recorded } = recordedCall();
    begin();
    send('{"id":', '"resp_1","object":', '"response"}');
    end();
    expect([ids, steps]).toEqual([['resp_1'], ['{"id":', 'pause']]);
    await recorded();
    expect(steps.slice(2)).toEqual(['"resp_1","object":', '"response"}', 'end', 'resume']);
  });

  it('leaves it to a slow reader to resume the server', async () => {
    const { steps, begin, send, recorded } = recordedCall({ awaitsReader: true });
    begin(200, STREAM);
    send('data: {"type":"response.created","response":{"id": "resp_2"}}\n\n');
    await recorded();
    expect(steps).not.toContain('resume');
  });

  it('forwards a broken connection after what arrived', async () => {
    const { call, controller, steps, begin, send, recorded } = recordedCall();
    begin();
    send('{"id":"resp_3"');
    call.onResponseError(controller, new Error('broken'));
    await recorded();
    expect(steps).toEqual(['pause', '{"id":"resp_3"', 'broken', 'resume']);
  });

  it.each([
    ['{"metadata":{"id":"resp_9"},"tools":[{"id":"resp_9"}],"conversation":{"id":"conv_1"},"id":"resp_1"}'],
    [' {"a":"{\\"{","id" : "resp_1"}'],
    [
      ': ping\n\nevent: response.created\ndata: {"type":"response.created","response":{"metadata":{"id":"resp_9"},"id":"resp_1"}}',
    ],
  ])('records the id of the response, and no other that it repeats: %s', (text) => {
    const { ids, begin, send } = recordedCall();
    begin();
    send(...text);
    expect(ids).toEqual(['resp_1']);
  });

  it.each([
    ['quotes', '"'.repeat(9_000)],
    ['other ids', '{"a":{"id":"x"}}'.repeat(600)],
    ['escaped quotes', `"${String.raw`\"`.repeat(4_500)}`],
  ])('searches no text again and again: %s', async (_, text) => {
    const { ids, begin, send } = recordedCall();
    begin();
    expect(await cpuMsOf(() => send(...text))).toBeLessThan(1_000);
    expect(ids).toEqual([]);
  });

  it.each([
    ['an error', 404, ['{"id":"resp_1"}']],
    ['a text of the model', 200, [String.raw`{"instructions":"\"id\":\"resp_9\""}`]],
    ['an id that is none', 200, ['{"id":"../models"}']],
    ['no id near its beginning', 200, ['x'.repeat(9_000), '{"id":"resp_1"}']],
    ['many small pieces', 200, Array.from({ length: 20_000 }, () => '"id"')],
  ])('records nothing of a response with %s', (_, status, chunks) => {
    const { steps, ids, begin, send, end } = recordedCall();
    begin(status);
    send(...chunks);
    end();
    expect(ids).toEqual([]);
    expect(steps).toEqual([...chunks, 'end']);
  });

  it('forwards the end of a whole response when the ids of its items are recorded', async () => {
    const { steps, ids, begin, send, end, recorded } = recordedCall();
    begin();
    send(
      '{"output":[{"id":"msg_1","content":[{"id":"no"}]},',
      '{"id":"fc_2"},null,{"id":"../x"}]',
      ',"metadata":{"id":"no"}}',
    );
    expect([ids, steps]).toEqual([
      [],
      ['{"output":[{"id":"msg_1","content":[{"id":"no"}]},', '{"id":"fc_2"},null,{"id":"../x"}]'],
    ]);
    end();
    expect([ids, steps.length]).toEqual([['msg_1', 'fc_2'], 2]);
    await recorded();
    expect(steps.slice(2)).toEqual([',"metadata":{"id":"no"}}', 'end', 'resume']);
  });

  it.each([1, 7, 10_000])(
    'records the items of a stream before they are forwarded, in pieces of %i',
    async (size) => {
      const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
      const metadata = { type: 'response.output_item.added', item: { id: 'msg_9' } };
      const text = [
        event({ type: 'response.created', response: { metadata, id: 'resp_1' } }),
        event({ type: 'response.output_item.added', item: { id: 'msg_1', content: [{ id: 'msg_9' }] } }),
        event({ type: 'response.output_text.delta', delta: event(metadata), item: { id: 'msg_9' } }),
        event({ type: 'response.output_item.done', item: { id: 'msg_1' } }),
        event({ type: 'response.output_item.done', item: { id: 'fc_2' } }),
      ].join('');
      const { steps, ids, begin, send, end, recorded } = recordedCall();
      begin(200, STREAM);
      for (let at = 0; at < text.length; at += size) send(text.slice(at, at + size));
      end();
      expect(ids).toEqual(['resp_1', 'msg_1', 'fc_2']);
      expect(steps.join('')).not.toContain('}}\n\n');
      await recorded();
      expect(steps.filter((step) => step !== 'pause').join('')).toBe(`${text}endresume`);
    },
  );

  it('records a limited number of items', () => {
    const { ids, begin, send } = recordedCall();
    begin(200, STREAM);
    for (let i = 0; i < 3_000; i++)
      send(`data: {"type":"response.output_item.added","item":{"id":"msg_${i}"}}\n\n`);
    expect(new Set(ids).size).toBe(1_000);
  });
});
