import { posix } from 'node:path';
import type { Entry } from 'yauzl';
import { invalid } from '../../infra/errors/app-error.ts';
import { cleanText, decodeText } from '../extraction/decode-text.ts';
import { Unreadable } from '../extraction/unreadable.ts';
import { openZip, type ZipReader } from '../extraction/zip-files.ts';
import { FILE_TYPES, mediaTypeOf, readOnlyFile, type Upload } from './upload.ts';

/** The documents in a zip archive. */
export interface Archive {
  name: string;
  uploads: Upload[];
  skipped: { fileName: string; reason: string }[];
}

const MAX_NAME_CHARS = 200;
/** Guessing the encodings of names that are long without end would block the process. */
const MAX_NAME_BYTES = 1_024;
const LIMITS = { entries: 1_000, entryBytes: 25 * 1024 * 1024, totalBytes: 100 * 1024 * 1024 };
/** What systems add to archives and folders. */
const HIDDEN = /(^|\/)(\.(?!\.?\/)|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i;
const isPacked = (data: Uint8Array) =>
  data[0] === 0x50 && data[1] === 0x4b && data[2] === 0x03 && data[3] === 0x04;

/** Reads a form whose field `file` is a zip archive. Archives in it stay closed. Throws VALIDATION_ERROR. */
export async function readArchive(body: object | undefined, contentType: string): Promise<Archive> {
  const file = await readOnlyFile(body, contentType);
  try {
    const zip = await openZip(new Uint8Array(await file.arrayBuffer()), LIMITS);
    if (zip.entries.some(({ fileNameRaw }) => fileNameRaw.length > MAX_NAME_BYTES))
      throw new Unreadable(`The archive has a file whose name is longer than ${MAX_NAME_BYTES} bytes.`);
    const archive: Archive = {
      name: cleanText(file.name).slice(0, MAX_NAME_CHARS).toWellFormed(),
      uploads: [],
      skipped: [],
    };
    for (const entry of zip.entries) await addEntry(archive, zip, entry);
    if (archive.uploads.length === 0)
      throw new Unreadable('The archive contains no document whose text can be read.');
    return archive;
  } catch (error) {
    if (error instanceof Unreadable) throw invalid(error.message);
    throw error;
  }
}

async function addEntry({ uploads, skipped }: Archive, zip: ZipReader, entry: Entry): Promise<void> {
  const path = nameOf(entry).replaceAll('\\', '/');
  if (path.endsWith('/') || HIDDEN.test(path)) return;
  const fileName = path.slice(-MAX_NAME_CHARS).toWellFormed();
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.read(entry)) pieces.push(piece);
  const data = Buffer.concat(pieces);
  const mediaType = mediaTypeOf({ name: path, type: '' }, data);
  if (data.length === 0) skipped.push({ fileName, reason: 'The file is empty.' });
  else if (mediaType === null)
    skipped.push({
      fileName,
      reason: isPacked(data) ? 'An archive in an archive is not opened.' : `The file must be ${FILE_TYPES}.`,
    });
  else {
    const title = posix.basename(path).trim().slice(0, MAX_NAME_CHARS).toWellFormed() || 'Untitled';
    uploads.push({ title, fileName, mediaType, charset: null, data });
  }
}

/** Archives of other systems have names in their own encoding, and do not say which. */
function nameOf({ fileNameRaw }: Entry): string {
  try {
    return decodeText(fileNameRaw, null, false).text;
  } catch {
    return cleanText(fileNameRaw.toString('latin1'));
  }
}
