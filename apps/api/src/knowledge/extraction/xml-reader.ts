import { SaxesParser } from 'saxes';
import type { Entry } from 'yauzl';
import { Unreadable } from './unreadable.ts';
import type { ZipReader } from './zip-files.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

/** What the readers of office files are told. Names are local: without the prefix of their namespace. */
export interface XmlHandlers {
  open?: (
    name: string,
    attribute: (name: string) => string | undefined,
    ancestors: readonly string[],
  ) => void;
  text?: (text: string, ancestors: readonly string[]) => void;
  close?: (name: string, ancestors: readonly string[]) => void;
}

const MAX_DEPTH = 500;
/** Each costs as much as hundreds of characters. */
const MAX_ERRORS = 100_000;

/** Reads a part of an archive. */
export function readXml(zip: ZipReader, entry: Entry, handlers: XmlHandlers): Promise<void> {
  return readXmlBytes(zip.read(entry), handlers);
}

/**
 * Reads XML piece by piece, and keeps none of it. No entity is expanded but the five of XML, so that none can grow. Broken
 * markup is read as far as it makes sense.
 */
export async function readXmlBytes(pieces: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const ancestors: string[] = [];
  const parser = new SaxesParser({ xmlns: false });
  let errors = 0;
  parser.on('error', () => {
    if (++errors > MAX_ERRORS) throw new Unreadable('The markup of the document is damaged.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name);
    if (ancestors.push(local) > MAX_DEPTH)
      throw new Unreadable('The elements of the document are nested too deeply.');
    handlers.open?.(local, (wanted) => attributeOf(attributes, wanted), ancestors);
  });
  parser.on('text', (text) => handlers.text?.(text, ancestors));
  parser.on('cdata', (text) => handlers.text?.(text, ancestors));
  parser.on('closetag', ({ name }) => {
    handlers.close?.(localName(name), ancestors);
    ancestors.pop();
  });
  const decoder = new TextDecoder();
  for await (const bytes of pieces) parser.write(decoder.decode(bytes, { stream: true }));
  parser.write(decoder.decode()).close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function attributeOf(attributes: Readonly<Record<string, unknown>>, wanted: string): string | undefined {
  for (const name in attributes)
    if (name === wanted || (name.endsWith(wanted) && localName(name) === wanted))
      return String(attributes[name]);
  return undefined;
}
