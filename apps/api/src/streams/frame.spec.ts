import {
  completeFrames,
  decodeFrames,
  decodeLatestFrames,
  decodeProductEvents,
  draft,
  encodeFrame,
  productEvent,
} from './frame.ts';

const MAX_FRAME_BYTES = 32 * 1024;

function sent(data: object) {
  const frame = draft('tools', data);
  const bytes = Buffer.byteLength(encodeFrame(1, 1_000_000, frame, Date.now()));
  return { bytes, data: JSON.parse(frame.data) as Record<string, unknown> };
}

const table = (rows: number, fields: number, chars: number) =>
  Array.from({ length: rows }, () =>
    Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field_${i}`, 'x'.repeat(chars)])),
  );

describe('a frame', () => {
  it('that fits goes as it is', () => {
    const data = { event: 'x', rows: table(10, 5, 30) };
    expect(sent(data).data).toEqual(data);
  });

  it.each([
    ['one long text', 'x'.repeat(100_000)],
    ['a long text of large characters', '😀'.repeat(50_000)],
    ['100 rows × 20 fields × 30 characters', table(100, 20, 30)],
    ['10,000 numbers', Array.from({ length: 10_000 }, (_, i) => i * 1_000_003)],
    ['100 lists of 100 lists of 100 numbers', Array(100).fill(Array(100).fill(Array(100).fill(1_000_000)))],
    ['long names', Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`.repeat(5_000), 1]))],
  ])('of %s is cut to what may travel, with all of its own fields', (_, result) => {
    const { bytes, data } = sent({ event: 'x', callId: 'c', result, status: 'succeeded' });
    expect(bytes).toBeLessThanOrEqual(MAX_FRAME_BYTES);
    expect(data).toMatchObject({ event: 'x', callId: 'c', status: 'succeeded', truncated: true });
    expect(data.result).not.toBeUndefined();
  });

  it('keeps as much of a table as fits', () => {
    const { data } = sent({ rows: table(100, 20, 30) });
    expect(data.rows).toHaveLength(25);
  });
});

describe('encoded frames', () => {
  const bytes = Buffer.from(
    encodeFrame(1, 1, productEvent('content.delta', { delta: 'two\n\nlines, data: {}' }), 5) +
      encodeFrame(1, 2, draft('tools', { event: 'tool-started' }), 6),
  );

  it('decode to what was encoded, in both directions', () => {
    const frames = [...decodeFrames(bytes)];
    expect(frames.map(({ seq, method }) => [seq, method])).toEqual([
      [1, 'custom:platform'],
      [2, 'tools'],
    ]);
    expect(frames[0]?.params).toEqual({
      namespace: [],
      timestamp: 5,
      data: { event: 'content-delta', delta: 'two\n\nlines, data: {}' },
    });
    expect([...decodeLatestFrames(bytes)]).toEqual(frames.toReversed());
  });

  it('decode to product events', () => {
    expect([...decodeProductEvents(bytes)]).toEqual([
      { event: 'content.delta', delta: 'two\n\nlines, data: {}' },
    ]);
  });

  it('are completed by dropping a cut first frame', () => {
    expect([...decodeFrames(completeFrames(bytes.subarray(3)))].map(({ seq }) => seq)).toEqual([2]);
    expect(completeFrames(bytes)).toEqual(bytes);
  });
});
