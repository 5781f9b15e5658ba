import type { ImportSource } from '@platform/openapi-import';
import { unzipSync } from 'fflate';
import { decodeText } from './decode-text.ts';
import { ReadError } from './import-protocol.ts';

const DOCUMENT = /\.(?:json|ya?ml)$/i;
/** What the root of a document says, near its beginning or in a line of its own. */
const ROOT = /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:/m;
/** What a Postman collection says of its format. */
const COLLECTION = /"schema"\s*:\s*"https?:\/\/schema\.getpostman\.com\//;
const ROOT_NAME = /(?:^|\/)(?:openapi|swagger|api|index|root)\b[^/]*$/i;
const MAX_FILES = 2_000;
const MEGABYTE = 1024 * 1024;

/** A file of a folder or an archive. */
interface Entry {
  path: string;
  read: () => Uint8Array | Promise<Uint8Array>;
}

/** The document in a zip archive. Nothing larger than `maxBytes` is unpacked. */
export function readZip(archive: Uint8Array, maxBytes: number): Promise<ImportSource> {
  let [bytes, files] = [0, 0];
  let unpacked: Record<string, Uint8Array>;
  try {
    unpacked = unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        if (!DOCUMENT.test(name) || name.startsWith('__MACOSX/')) return false;
        bytes += originalSize;
        files += 1;
        if (bytes > maxBytes || files > MAX_FILES) throw tooLarge(maxBytes);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof ReadError) throw error;
    throw new ReadError({ kind: 'zip' }, { cause: error });
  }
  return readEntries(
    Object.entries(unpacked).map(([name, content]) => ({ path: pathOf(name), read: () => content })),
  );
}

/** The document in a folder. */
export function readFolder(files: readonly File[], maxBytes: number): Promise<ImportSource> {
  const documents = files.filter(({ name }) => DOCUMENT.test(name));
  const size = documents.reduce((sum, file) => sum + file.size, 0);
  if (size > maxBytes || documents.length > MAX_FILES) throw tooLarge(maxBytes);
  const read = async (file: File) => new Uint8Array(await file.arrayBuffer());
  return readEntries(
    documents.map((file) => ({ path: file.webkitRelativePath || file.name, read: () => read(file) })),
  );
}

/** Of several documents, the topmost with a usual name is meant; a Postman collection if there is no document. */
async function readEntries(entries: readonly Entry[]): Promise<ImportSource> {
  const texts = new Map<string, string>();
  for (const { path, read } of entries) texts.set(path, decodeText(await read()));
  const root = findRoot(texts, ROOT) ?? findRoot(texts, COLLECTION);
  if (root === undefined) throw new ReadError({ kind: 'noDocument' });
  const byUrl = new Map([...texts].map(([path, text]) => [urlOf(path), text]));
  const load = (url: string) => {
    const text = byUrl.get(url);
    return text === undefined
      ? Promise.reject(new Error('There is no such file'))
      : Promise.resolve({ text });
  };
  return { text: texts.get(root) ?? '', fileName: root, parts: { url: urlOf(root), load } };
}

function findRoot(texts: ReadonlyMap<string, string>, says: RegExp): string | undefined {
  const [root] = [...texts]
    .filter(([, text]) => says.test(text))
    .map(([path]) => path)
    .sort(
      (a, b) =>
        depthOf(a) - depthOf(b) || Number(ROOT_NAME.test(b)) - Number(ROOT_NAME.test(a)) || (a < b ? -1 : 1),
    );
  return root;
}

const depthOf = (path: string) => path.split('/').length;
const urlOf = (path: string) => new URL(path.split('/').map(encodeURIComponent).join('/'), 'file:///').href;

/** Names that are not marked as UTF-8 come as Latin-1: they are bytes of any encoding. */
function pathOf(name: string): string {
  if (/[\u0100-\uffff]/.test(name)) return name;
  return decodeText(Uint8Array.from(name, (character) => character.charCodeAt(0)));
}

const tooLarge = (maxBytes: number) =>
  new ReadError({ kind: 'tooLarge', megabytes: Math.round(maxBytes / MEGABYTE) });
