import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread as well, which Node.js does not compile: only types that can be removed are allowed.

export interface ZipLimits {
  /** Files and folders. */
  entries: number;
  /** Of one file, unpacked. */
  entryBytes: number;
  /** Of all files that are read, unpacked. */
  totalBytes: number;
}

export interface ZipReader {
  entries: readonly Entry[];
  find: (name: string) => Entry | undefined;
  /** The bytes of a file as they are unpacked: what the archive says about their size is not trusted. */
  read: (entry: Entry) => AsyncGenerator<Uint8Array>;
}

/** Opens an archive. Throws `Unreadable` if it is damaged, encrypted, or beyond the limits. */
export async function openZip(data: Uint8Array, limits: ZipLimits): Promise<ZipReader> {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false }).catch(fail);
  const entries: Entry[] = [];
  try {
    if (zip.entryCount > limits.entries) throw tooMany(limits);
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= limits.entries) throw tooMany(limits);
      entries.push(entry);
    }
  } catch (error) {
    fail(error);
  }
  const byName = new Map(entries.map((entry) => [entry.fileNameRaw.toString('utf8'), entry]));
  const check = (bytes: number, total: number) => {
    if (bytes > limits.entryBytes || total > limits.totalBytes)
      throw new Unreadable('The archive unpacks to more than can be read.');
  };
  let total = 0;
  return {
    entries,
    find: (name) => byName.get(name),
    read: async function* (entry) {
      let bytes = 0;
      try {
        if (entry.isEncrypted()) throw new Unreadable('The archive is encrypted.');
        // What says that it is too large need not be unpacked.
        check(entry.uncompressedSize, total + entry.uncompressedSize);
        for await (const chunk of await openStream(zip, entry)) {
          bytes += chunk.length;
          total += chunk.length;
          check(bytes, total);
          yield chunk;
        }
      } catch (error) {
        fail(error);
      }
    },
  };
}

async function openStream(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
}

function tooMany({ entries }: ZipLimits): Unreadable {
  return new Unreadable(`The archive has more than ${entries} files.`);
}

function fail(error: unknown): never {
  if (error instanceof Unreadable) throw error;
  throw new Unreadable('The archive is damaged or not valid.', { cause: error });
}
