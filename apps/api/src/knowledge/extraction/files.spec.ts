import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnowledgeMediaType } from '@platform/contracts';
import { makeDocx, makeEpub, makeXlsx, makeZip } from '../../../e2e/fixtures/zip.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { guessEncodings } from './guess-encoding.ts';
import { Extractor } from './extractor.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCX = `${OFFICE}.wordprocessingml.document` as const;
const XLSX = `${OFFICE}.spreadsheetml.sheet` as const;
const PPTX = `${OFFICE}.presentationml.presentation` as const;
const MB = 1024 * 1024;

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../e2e/fixtures/knowledge', name));

async function read(data: Buffer | string, mediaType: KnowledgeMediaType) {
  const job = { data: Buffer.from(data), mediaType, charset: null, title: '', spaceTag: '' };
  const { rows, encoding } = await extractor.read(job, new AbortController().signal);
  const chunks = rows.flatMap((json) => JSON.parse(json) as { heading: string; text: string }[]);
  return { encoding, chunks, text: chunks.map(({ text }) => text).join('\n') };
}

const extractor = new Extractor();

afterAll(() => extractor.close());

describe('office files', () => {
  verifies('knowledge.files', 'of Word have headings, paragraphs, and the cells of tables', async () => {
    const { chunks, text } = await read(fixture('travel.docx'), DOCX);
    expect(chunks[0]?.heading).toBe('Travel policy');
    expect(text).toContain(
      'Hotels\nUp to 140 euros per night. 酒店每晚不超过一百四十欧元。\nCity\nLimit\nParis\n180',
    );
  });

  verifies('knowledge.files', 'of Excel have sheets, and rows as lines', async () => {
    const { text } = await read(fixture('prices.xlsx'), XLSX);
    expect(text).toBe('Prices\nProduct | Price\nKettle | 29.9\n烤面包机 | 49\nNotes\nPrices include tax');
  });

  verifies('knowledge.files', 'of PowerPoint have slides and notes', async () => {
    const { text } = await read(fixture('goals.pptx'), PPTX);
    expect(text).toContain('Quarterly goals\nAnswer tickets within one day\n季度总结与下一步计划');
    expect(text).toContain('Thank the whole team');
  });

  verifies('knowledge.files', 'and books and RTF are read', async () => {
    const epub = makeEpub('<h1>One</h1><p>First &amp; best</p>', '<h1>Two</h1><p>Second</p>');
    expect((await read(epub, 'application/epub+zip')).text).toBe('One\nFirst & best\nTwo\nSecond');
    const rtf = String.raw`{\rtf1\ansi\ansicpg936{\fonttbl{\f0 Arial;}}{\*\generator x;}{\info{\title No}}\f0 Caf\u233?\par \'cd\'cb\'bf\'ee \b bold\b0\tab end \{x\}\par}`;
    expect((await read(rtf, 'application/rtf')).text).toBe('Café\n退款 bold\tend {x}');
  });
});

describe('hostile files', () => {
  const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

  it.each<[string, () => Buffer, KnowledgeMediaType, RegExp]>([
    [
      'a zip bomb that says that it is small',
      () => makeZip([{ name: 'word/document.xml', data: Buffer.alloc(50 * MB, ' '), claims: 100 }]),
      DOCX,
      /damaged or not valid|unpacks to more/,
    ],
    [
      'an archive that says that it is too large',
      () => makeZip([{ name: 'word/document.xml', data: '', claims: 129 * MB }]),
      DOCX,
      /unpacks to more/,
    ],
    [
      'more text than allowed',
      () => makeDocx(paragraph('word '.repeat(20_000)).repeat(120)),
      DOCX,
      /more than 10 MB/,
    ],
    ['deep XML', () => makeDocx('<w:tbl>'.repeat(2_000_000)), DOCX, /nested too deeply/],
    [
      'a shared text that a million cells repeat',
      () =>
        makeXlsx(
          `<si><t>${'a'.repeat(10_000)}</t></si>`,
          `<row>${'<c t="s"><v>0</v></c>'.repeat(100_000)}</row>`,
        ),
      XLSX,
      /more than 10 MB|more memory/,
    ],
    [
      'more files than allowed',
      () => makeZip(Array.from({ length: 10_001 }, (_, i) => ({ name: `f${i}`, data: '' }))),
      DOCX,
      /more than 10000 files/,
    ],
    [
      'an archive of another type',
      () => makeZip([{ name: 'a.txt', data: 'a' }]),
      XLSX,
      /not of the type that its name says/,
    ],
    ['half an archive', () => makeDocx(paragraph('whole')).subarray(0, 120), DOCX, /damaged or not valid/],
    ['deep RTF', () => Buffer.from(`{\\rtf1${'{'.repeat(100_000)}`), 'application/rtf', /nested too deeply/],
    ['what is no RTF', () => Buffer.from('text'), 'application/rtf', /not of the type/],
  ])('%s is refused with the reason [knowledge.hostile]', async (_, make, mediaType, reason) => {
    await expect(read(make(), mediaType)).rejects.toThrow(reason);
  });

  verifies('knowledge.hostile', 'cannot make entities grow', async () => {
    const entities = Array.from({ length: 30 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};&e${i};">`).join(
      '',
    );
    const xml = `<!DOCTYPE d [<!ENTITY e0 "ha">${entities}<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document>${paragraph('&e30;&f; &amp; safe')}</w:document>`;
    const { text } = await read(makeZip([{ name: 'word/document.xml', data: xml }]), DOCX);
    expect(text).toBe('&e30;&f; & safe');
  });
});

describe('texts that are not UTF-8', () => {
  it.each([
    ['gb18030', 'CDCBBFEED5FEB2DF', '退款政策'],
    ['big5', 'b068b366bb50b068b4daac46b5a6', '退貨與退款政策'],
    ['shift_jis', '95d48be082cc95fb8eae', '返金の方式'],
    [
      'windows-1252',
      '4c6520636166e920657374206665726de9206c652064696d616e6368652e',
      'Le café est fermé le dimanche.',
    ],
  ])('are recognized as %s [knowledge.encodings]', async (encoding, hex, text) => {
    const decoded = await read(Buffer.from(hex, 'hex'), 'text/plain');
    expect([decoded.encoding, decoded.text]).toEqual([encoding, text]);
  });

  verifies(
    'knowledge.encodings',
    'are not confused with each other, and bytes that are no text are none',
    async () => {
      expect((await read('UTF-8: 退款', 'text/plain')).encoding).toBeNull();
      const random = Uint8Array.from({ length: 4_096 }, (_, i) => (i * 2_654_435_761) >>> 24);
      expect(guessEncodings(random)).toEqual([]);
      expect(
        guessEncodings(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d])),
      ).toEqual([]);
    },
  );
});
