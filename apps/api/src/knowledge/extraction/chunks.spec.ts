import fc from 'fast-check';
import { cutChunks, MAX_CHUNK_BYTES, type Block } from './chunks.ts';

const cut = (...blocks: Block[]) => [...cutChunks(blocks)];
const text = (value: string): Block => ({ kind: 'text', text: value });
const heading = (level: number, value: string): Block => ({ kind: 'heading', level, text: value });

describe('chunks', () => {
  it('keep the headings above them', () => {
    const long = 'word '.repeat(100);
    expect(
      cut(heading(1, 'A'), text(long), heading(2, 'B'), text(long), heading(1, 'C'), text(long)).map(
        (chunk) => chunk.heading,
      ),
    ).toEqual(['A', 'A > B', 'C']);
  });

  it('join small sections, and skip levels', () => {
    expect(cut(heading(3, 'Deep'), text('one'), heading(1, 'Top'), text('two'))).toEqual([
      { heading: 'Deep', text: 'Deep\none\nTop\ntwo' },
    ]);
  });

  it('repeat the end of the chunk before, and are cut after a sentence', () => {
    const sentence = 'This is one sentence of the text that is cut. ';
    const chunks = cut(text(sentence.repeat(60)));
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expect(chunk.text.endsWith('cut.')).toBe(true);
    const [first = '', second = ''] = chunks.map((chunk) => chunk.text);
    expect(second).toContain(first.slice(-100));
  });

  it('cut Chinese after a sentence too', () => {
    for (const chunk of cut(text('我们的退款政策规定在十四天之内处理。'.repeat(200))))
      expect(chunk.text.endsWith('。')).toBe(true);
  });

  it('never exceed their size, lose nothing, and stay well-formed', () => {
    const block = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3_000 }).map(text),
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), fc.string({ maxLength: 2_000 }))
        .map(([level, value]) => heading(level, value)),
      fc.integer({ min: 1, max: 9 }).map((n): Block => ({ kind: 'page', n })),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const chunks = cut(...blocks);
        const said = chunks.map((chunk) => chunk.text).join('');
        for (const chunk of chunks) {
          expect(Buffer.byteLength(chunk.text)).toBeLessThanOrEqual(MAX_CHUNK_BYTES + 1);
          expect(chunk.text.isWellFormed()).toBe(true);
        }
        for (const part of blocks) {
          if (part.kind === 'page') continue;
          for (const word of part.text.split(/\s+/)) if (word.length < 50) expect(said).toContain(word);
        }
      }),
      { numRuns: 200 },
    );
  });
});
