import type { KnowledgeMediaType } from '@platform/contracts';
import { makePdf } from '../../../e2e/fixtures/pdf.ts';
import { makeDocx, makeZip } from '../../../e2e/fixtures/zip.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { Extractor } from './extractor.ts';

const MB = 1024 * 1024;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** The heap of the thread, what the archive unpacks at a time, and what this process needs. */
const MAX_GROWTH_MB = 900;

const refused = async (data: Buffer, mediaType: KnowledgeMediaType): Promise<string> => {
  const job = { data, mediaType, charset: null, title: '', spaceTag: '' };
  const outcome = await extractor.read(job, new AbortController().signal).then(
    () => 'read',
    (error: unknown) => String(error),
  );
  return outcome;
};

const extractor = new Extractor();

afterAll(() => extractor.close());

describe('large hostile files', () => {
  verifies('knowledge.hostile', 'take bounded memory', async () => {
    const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const files: [Buffer, KnowledgeMediaType, RegExp][] = [
      [makeDocx(paragraph('a'.repeat(200 * MB))), DOCX, /unpacks to more than can be read/],
      [
        makeZip(
          ['word/styles.xml', 'word/document.xml', 'word/footnotes.xml'].map((name) => ({
            name,
            data: Buffer.alloc(100 * MB, ' '),
          })),
        ),
        DOCX,
        /unpacks to more than can be read/,
      ],
      [makePdf(Array.from({ length: 100_000 }, () => '')), 'application/pdf', /100000 pages; at most 5000/],
      [Buffer.alloc(50 * MB, 'word '), 'text/plain', /more than 10 MB/],
      // As large as an upload can be.
      [
        Buffer.alloc(25 * MB, '<p>word '),
        'text/html',
        /more than 10 MB|more memory|20 seconds of processor time/,
      ],
      [Buffer.alloc(50 * MB, '{\\b word}'), 'application/rtf', /not of the type/],
      [
        Buffer.from(`{\\rtf1 ${'word \\par '.repeat(5 * MB)}`),
        'application/rtf',
        /more than 10 MB|more memory/,
      ],
    ];
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    try {
      for (const [data, mediaType, reason] of files) expect(await refused(data, mediaType)).toMatch(reason);
    } finally {
      clearInterval(watch);
    }
    expect((peak - before) / MB).toBeLessThan(MAX_GROWTH_MB);
  });
});
