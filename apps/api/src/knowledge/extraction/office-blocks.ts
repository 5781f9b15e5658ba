import { posix } from 'node:path';
import type { Entry } from 'yauzl';
import type { Block } from './chunks.ts';
import { cleanText, decodeText } from './decode-text.ts';
import { htmlBlocks } from './html-blocks.ts';
import { Unreadable } from './unreadable.ts';
import { readXml } from './xml-reader.ts';
import { openZip, type ZipReader } from './zip-files.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const LIMITS = { entries: 10_000, entryBytes: 128 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 };
const MAX_HTML_BYTES = 16 * 1024 * 1024;
/** A workbook has each text once, and its cells refer to it. */
const MAX_SHARED_BYTES = 32 * 1024 * 1024;
/** A row of more becomes several lines: its cells can repeat one long text. */
const MAX_ROW_CHARS = 100_000;
const MAX_LEVEL = 6;

export type OfficeType = 'docx' | 'xlsx' | 'pptx' | 'epub';

/** The headings and texts of an office file or an electronic book. Throws `Unreadable`. */
export async function officeBlocks(
  data: Uint8Array,
  type: OfficeType,
  maxTextBytes: number,
): Promise<Block[]> {
  const blocks: Block[] = [];
  let bytes = 0;
  const add = (block: Block) => {
    if (!('text' in block)) blocks.push(block);
    else {
      const text = cleanText(block.text).trim();
      if (text === '') return;
      bytes += Buffer.byteLength(text);
      if (bytes > maxTextBytes)
        throw new Unreadable(`The document has more than ${maxTextBytes / 1024 / 1024} MB of text.`);
      blocks.push({ ...block, text });
    }
  };
  await READERS[type](await openZip(data, LIMITS), add);
  return blocks;
}

type Add = (block: Block) => void;

const READERS: Record<OfficeType, (zip: ZipReader, add: Add) => Promise<void>> = {
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  epub: readEpub,
};

/** Paragraphs; headings are those whose style has an outline level, whatever the style is called. */
async function readDocx(zip: ZipReader, add: Add): Promise<void> {
  const document = required(zip, 'word/document.xml');
  const levels = await headingStyles(zip);
  let [text, level, isCut] = ['', 0, 0];
  for (const part of [document, ...optional(zip, 'word/footnotes.xml')])
    await readXml(zip, part, {
      open: (name, attribute) => {
        // What is shown if the preferred form cannot be: the same text again.
        if (name === 'Fallback') isCut++;
        else if (name === 'pStyle') level = levels.get(attribute('val') ?? '') ?? 0;
        else if (name === 'outlineLvl') level = levelOf(attribute('val'));
        else if (name === 'tab') text += '\t';
        else if (name === 'br' || name === 'cr') text += '\n';
      },
      text: (piece, ancestors) => {
        if (isCut === 0 && ancestors.at(-1) === 't') text += piece;
      },
      close: (name, ancestors) => {
        if (name === 'Fallback') isCut--;
        if (name !== 'p') return;
        const isCell = ancestors.includes('tc');
        if (level > 0 && !isCell) add({ kind: 'heading', level, text: text.replaceAll('\n', ' ') });
        else add({ kind: 'text', text });
        [text, level] = ['', 0];
      },
    });
}

async function headingStyles(zip: ZipReader): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  let id = '';
  for (const part of optional(zip, 'word/styles.xml'))
    await readXml(zip, part, {
      open: (name, attribute) => {
        if (name === 'style') id = attribute('styleId') ?? '';
        const named = name === 'name' ? /^heading ([1-9])$/i.exec(attribute('val') ?? '')?.[1] : undefined;
        if (named !== undefined) levels.set(id, Math.min(MAX_LEVEL, Number(named)));
        else if (name === 'name' && attribute('val') === 'Title') levels.set(id, 1);
        else if (name === 'outlineLvl' && levelOf(attribute('val')) > 0)
          levels.set(id, levelOf(attribute('val')));
      },
    });
  return levels;
}

/** 0 to 8 are levels, 9 is body text. */
function levelOf(outline: string | undefined): number {
  const level = Number(outline);
  return outline !== undefined && level >= 0 && level < 9 ? Math.min(MAX_LEVEL, level + 1) : 0;
}

/** Sheets are headings, rows are lines. */
async function readXlsx(zip: ZipReader, add: Add): Promise<void> {
  const workbook = required(zip, 'xl/workbook.xml');
  const targets = await relations(zip, 'xl/_rels/workbook.xml.rels', 'xl');
  const sheets: { name: string; path: string }[] = [];
  await readXml(zip, workbook, {
    open: (name, attribute) => {
      if (name === 'sheet' && attribute('state') !== 'veryHidden')
        sheets.push({ name: attribute('name') ?? '', path: targets.get(attribute('id') ?? '') ?? '' });
    },
  });
  const texts = await sharedTexts(zip);
  for (const sheet of sheets) {
    const part = zip.find(sheet.path);
    if (part === undefined) continue;
    add({ kind: 'heading', level: 1, text: sheet.name });
    let [type, value]: [string | undefined, string] = ['', ''];
    let [cells, chars]: [string[], number] = [[], 0];
    const endRow = () => {
      add({ kind: 'text', text: cells.join(' | ') });
      [cells, chars] = [[], 0];
    };
    await readXml(zip, part, {
      open: (name, attribute) => {
        if (name === 'c') [type, value] = [attribute('t'), ''];
      },
      text: (piece, ancestors) => {
        const name = ancestors.at(-1);
        if ((name === 'v' || name === 't') && ancestors.includes('c')) value += piece;
      },
      close: (name) => {
        if (name === 'c') {
          const shown = type === 's' ? (texts[Number(value)] ?? '') : value;
          if (shown.trim() !== '') cells.push(shown.trim());
          chars += shown.length;
        }
        if (name === 'row' || chars > MAX_ROW_CHARS) endRow();
      },
    });
  }
}

async function sharedTexts(zip: ZipReader): Promise<string[]> {
  const texts: string[] = [];
  let [text, bytes] = ['', 0];
  for (const part of optional(zip, 'xl/sharedStrings.xml'))
    await readXml(zip, part, {
      text: (piece, ancestors) => {
        // `rPh` tells how a text is pronounced.
        if (ancestors.at(-1) === 't' && !ancestors.includes('rPh')) text += piece;
      },
      close: (name) => {
        if (name !== 'si') return;
        bytes += Buffer.byteLength(text) + 1;
        if (bytes > MAX_SHARED_BYTES) throw new Unreadable('The workbook has more text than can be read.');
        texts.push(text);
        text = '';
      },
    });
  return texts;
}

/** Slides are pages; their titles are headings. Notes come behind the slides. */
async function readPptx(zip: ZipReader, add: Add): Promise<void> {
  required(zip, 'ppt/presentation.xml');
  const parts = (folder: string, name: string) =>
    zip.entries
      .map((entry) => ({ entry, n: numberOf(entry, folder, name) }))
      .filter((part): part is { entry: Entry; n: number } => part.n !== null)
      .sort((a, b) => a.n - b.n);
  for (const { entry, n } of [...parts('ppt/slides', 'slide'), ...parts('ppt/notesSlides', 'notesSlide')]) {
    let [text, isTitle, isNumber] = ['', false, false];
    let isFirst = true;
    await readXml(zip, entry, {
      open: (name, attribute) => {
        if (name === 'sp') [isTitle, isNumber] = [false, false];
        else if (name === 'ph') {
          const type = attribute('type') ?? '';
          isTitle = type === 'title' || type === 'ctrTitle';
          isNumber = type === 'sldNum';
        } else if (name === 'br') text += '\n';
      },
      text: (piece, ancestors) => {
        if (ancestors.at(-1) === 't' && !isNumber) text += piece;
      },
      close: (name) => {
        if (name !== 'p' || text.trim() === '') return;
        if (isFirst) add({ kind: 'page', n });
        isFirst = false;
        add(
          isTitle ? { kind: 'heading', level: 2, text: text.replaceAll('\n', ' ') } : { kind: 'text', text },
        );
        text = '';
      },
    });
  }
}

function numberOf({ fileNameRaw }: Entry, folder: string, name: string): number | null {
  const path = fileNameRaw.toString('utf8');
  const digits = new RegExp(`^${folder}/${name}(\\d{1,6})\\.xml$`).exec(path)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The chapters in the order of the book. */
async function readEpub(zip: ZipReader, add: Add): Promise<void> {
  let root = '';
  await readXml(zip, required(zip, 'META-INF/container.xml'), {
    open: (name, attribute) => {
      if (name === 'rootfile' && root === '') root = attribute('full-path') ?? '';
    },
  });
  const files = new Map<string, string>();
  const spine: string[] = [];
  await readXml(zip, required(zip, root), {
    open: (name, attribute) => {
      if (name === 'item') files.set(attribute('id') ?? '', attribute('href') ?? '');
      else if (name === 'itemref') spine.push(attribute('idref') ?? '');
    },
  });
  for (const id of new Set(spine)) {
    const chapter = zip.find(posix.join(posix.dirname(root), decoded(files.get(id) ?? '')));
    if (chapter === undefined) continue;
    for (const block of htmlBlocks(decodeText(await wholeOf(zip, chapter), null, true).text)) add(block);
  }
}

async function wholeOf(zip: ZipReader, entry: Entry): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of zip.read(entry)) {
    bytes += piece.length;
    if (bytes > MAX_HTML_BYTES) throw new Unreadable('A chapter of the book has more text than can be read.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** What the ids of a part stand for: paths within the archive. */
async function relations(zip: ZipReader, path: string, base: string): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  for (const part of optional(zip, path))
    await readXml(zip, part, {
      open: (name, attribute) => {
        const target = attribute('Target');
        if (name === 'Relationship' && target !== undefined)
          targets.set(
            attribute('Id') ?? '',
            target.startsWith('/') ? target.slice(1) : posix.join(base, target),
          );
      },
    });
  return targets;
}

function required(zip: ZipReader, path: string): Entry {
  const entry = zip.find(path);
  if (entry === undefined)
    throw new Unreadable('The file is not of the type that its name says, or it is damaged.');
  return entry;
}

function optional(zip: ZipReader, path: string): Entry[] {
  const entry = zip.find(path);
  return entry === undefined ? [] : [entry];
}
