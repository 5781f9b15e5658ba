import type { KnowledgeMediaType } from '@platform/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { bombContent, ENCRYPTED, makePdf } from '../../../e2e/fixtures/pdf.ts';
import { childProcesses } from '../../../e2e/harness/child-processes.ts';
import { eventually } from '../../../e2e/harness/eventually.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { scaled } from '../../../e2e/faults/scale.ts';
import { Extractor } from './extractor.ts';

/** Of each text. */
const SIZE = scaled('EXTRACTED_SIZE', { quick: 10_000, slow: 100_000 });

const never = new AbortController().signal;
const extractor = new Extractor();

const PROGRAM = 'extraction-child';
/** Takes many times as long as the tests wait for it. */
const LONG = '<h1>a'.repeat(4_000_000);

afterEach(() => extractor.close());

interface Row {
  n: number;
  heading: string;
  text: string;
  terms: string;
}

async function extract(data: Buffer | string, mediaType: KnowledgeMediaType, by = extractor) {
  const job = { data: Buffer.from(data), mediaType, charset: null, title: 'Title', spaceTag: 's:' };
  const { rows, chunks } = await by.read(job, never);
  return { rows: rows.flatMap((json) => JSON.parse(json) as Row[]), chunks };
}

describe('extraction', () => {
  it('returns chunks with the terms of the title, each with the tag of the space', async () => {
    expect(await extract('# Wombats\n\nThey dig.', 'text/markdown')).toEqual({
      chunks: 1,
      rows: [
        {
          n: 1,
          heading: 'Wombats',
          text: 'Wombats\n\nThey dig.',
          terms: 's:titl s:title s:wombat s:wombats s:they s:dig',
        },
      ],
    });
  });

  it('reads a PDF page by page', async () => {
    const pages = Array.from({ length: 10 }, (_, i) => `Sentence ${i} of some length `.repeat(3));
    const { rows } = await extract(makePdf(pages), 'application/pdf');
    expect(rows.map(({ heading }) => heading)).toEqual(['Page 1', 'Page 7']);
    expect(rows[1]?.text).toMatch(/^Sentence 6/);
  });

  it.each<[string, Buffer | string, KnowledgeMediaType, RegExp]>([
    ['an encrypted PDF', makePdf(['x'], { trailer: ENCRYPTED }), 'application/pdf', /is encrypted/],
    ['a PDF without text', makePdf(['']), 'application/pdf', /contains no text/],
    ['a damaged PDF', '%PDF-1.7\nand nothing else', 'application/pdf', /is damaged or not valid/],
    ['half a PDF', makePdf(['Whole']).subarray(0, 300), 'application/pdf', /is damaged or not valid/],
    [
      'a PDF bomb',
      makePdf(['x'], { content: () => bombContent(100_000_000, 1) }),
      'application/pdf',
      /decompresses to more than can be read/,
    ],
    [
      'a PDF bomb inside another',
      makePdf(['x'], { content: () => bombContent(100_000_000, 2) }),
      'application/pdf',
      /The PDF/,
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'text/plain', /is not text/],
    ['zip', Buffer.from('PK\u0003\u0004'), 'text/markdown', /is not text/],
    [
      'bytes that are no text',
      Buffer.from([0x63, 0, 1, 2, 3, 0xe9]),
      'text/plain',
      /encoding of the text is not known/,
    ],
    ['blanks', ' \n\t\n', 'text/plain', /contains no text/],
    ['an HTML page without text', '<script>text()</script>', 'text/html', /contains no text/],
    ['more text than allowed', Buffer.alloc(10 * 1024 * 1024 + 1, 'a '), 'text/plain', /more than 10 MB/],
  ])('says why %s cannot be read', async (_, data, mediaType, reason) => {
    await expect(extract(data, mediaType)).rejects.toThrow(reason);
  });

  it('reads large and strange texts in linear time', async () => {
    const word = await extract(Buffer.alloc(100 * SIZE, 'a'), 'text/plain');
    expect(word.chunks).toBe(word.rows.length);
    expect(word.rows.every(({ text }) => Buffer.byteLength(text) <= 1_600)).toBe(true);
    const headings = Array.from({ length: SIZE }, (_, i) => `# Heading ${i}`).join('\n');
    expect((await extract(headings, 'text/markdown')).chunks).toBeLessThan(5_000);
    const nested = `${'<div>'.repeat(SIZE)}deep${'</div>'.repeat(SIZE)}`;
    expect((await extract(nested, 'text/html')).rows).toMatchObject([{ text: 'deep' }]);
    const unclosed = `${'<b>'.repeat(SIZE)}bold${'</i>'.repeat(SIZE)}`;
    expect((await extract(unclosed, 'text/html')).rows).toMatchObject([{ text: 'bold' }]);
  });

  verifies('knowledge.extraction-process', 'reads the next document after much processor time', async () => {
    const sparing = new Extractor({ cpuMs: 500 });
    await expect(extract(LONG, 'text/html', sparing)).rejects.toThrow(
      'Reading the document takes more than 0.5 seconds of processor time.',
    );
    expect((await extract('<p>Next', 'text/html', sparing)).rows).toMatchObject([{ text: 'Next' }]);
    await sparing.close();
  });

  verifies('knowledge.extraction-process', 'has the time that a busy machine takes', async () => {
    const paused = new Extractor({ cpuMs: 1_500 });
    const reading = extract('text', 'text/plain', paused);
    const [child = 0] = childProcesses(process.pid, PROGRAM);
    process.kill(child, 'SIGSTOP');
    await delay(2_000);
    process.kill(child, 'SIGCONT');
    expect((await reading).chunks).toBe(1);
    await paused.close();
  });

  verifies('knowledge.extraction-process', 'ends when it takes too long', async () => {
    const impatient = new Extractor({ ms: 1_000 });
    await expect(extract(LONG, 'text/html', impatient)).rejects.toThrow(
      'The document could not be read within 1 seconds.',
    );
    expect(childProcesses(process.pid, PROGRAM)).toEqual([]);
  });

  verifies('knowledge.extraction-process', 'reads the next document after a full heap', async () => {
    const small = new Extractor({ heapMb: 32 });
    await expect(extract(LONG, 'text/html', small)).rejects.toThrow(
      'Reading the document takes more memory than allowed.',
    );
    expect((await extract('<p>Next', 'text/html', small)).rows).toMatchObject([{ text: 'Next' }]);
    await small.close();
  });

  verifies('knowledge.extraction-process', 'ends when it has more memory than allowed', async () => {
    const small = new Extractor({ residentMb: 1 });
    await expect(extract(LONG, 'text/html', small)).rejects.toThrow(
      'Reading the document takes more memory than allowed.',
    );
  });

  verifies('knowledge.extraction-process', 'is reused, and replaced after some documents', async () => {
    const reusing = new Extractor({ documents: 2, reusableMb: 10_000 });
    const used: number[][] = [];
    for (let i = 0; i < 3; i++) {
      await extract('text', 'text/plain', reusing);
      used.push(childProcesses(process.pid, PROGRAM));
    }
    // The second document is the last one of the first process.
    expect(used).toEqual([[expect.any(Number)], [], [expect.any(Number)]]);
    await reusing.close();
    expect(childProcesses(process.pid, PROGRAM)).toEqual([]);
  });

  verifies('knowledge.extraction-process', 'is replaced if it ends while it is idle', async () => {
    await extract('text', 'text/plain');
    const [idle = 0] = childProcesses(process.pid, PROGRAM);
    process.kill(idle, 'SIGKILL');
    await eventually(() => {
      expect(childProcesses(process.pid, PROGRAM)).toEqual([]);
      return Promise.resolve();
    });
    expect((await extract('text', 'text/plain')).chunks).toBe(1);
  });

  it('ends with the reason of the signal', async () => {
    const stopping = new AbortController();
    const job = { data: Buffer.from('x'), mediaType: 'text/plain' as const, charset: null };
    const running = extractor.read({ ...job, title: '', spaceTag: '' }, stopping.signal);
    stopping.abort(new Error('The process stops'));
    await expect(running).rejects.toThrow('The process stops');
  });
});
