import type { KnowledgeEncoding } from '@platform/contracts';
import { parentPort, workerData } from 'node:worker_threads';
import { cutChunks } from './chunks.ts';
import { extractBlocks, type Source } from './extract.ts';
import { indexTerms } from './terms.ts';
import { Unreadable } from './unreadable.ts';

// The program of the extraction thread. Node.js runs it without compiling it: only types that can be removed are allowed.

export interface ExtractionJob extends Source {
  /** Its words are terms of every chunk. */
  title: string;
  /** Precedes every term. */
  spaceTag: string;
}

/** `rows`: JSON of at most `BATCH` chunks, for `insertChunks`. */
export type ExtractionMessage =
  | { type: 'rows'; rows: string }
  | { type: 'done'; chunks: number; encoding: KnowledgeEncoding | null }
  | { type: 'unreadable'; message: string };

const BATCH = 250;
const MAX_CHUNKS = 20_000;

const job = workerData as ExtractionJob;
const send = (message: ExtractionMessage) => parentPort?.postMessage(message);

try {
  send({ type: 'done', ...(await sendChunks()) });
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  send({ type: 'unreadable', message: error.message });
}

async function sendChunks(): Promise<{ chunks: number; encoding: KnowledgeEncoding | null }> {
  const titleTerms = indexTerms(job.title);
  let batch: { n: number; heading: string; text: string; terms: string }[] = [];
  let n = 0;
  const flush = () => {
    if (batch.length > 0) send({ type: 'rows', rows: JSON.stringify(batch) });
    batch = [];
  };
  const { blocks, encoding } = await extractBlocks(job);
  for (const { heading, text } of cutChunks(blocks)) {
    if (++n > MAX_CHUNKS) throw new Unreadable(`The document has more than ${MAX_CHUNKS} passages.`);
    const terms = new Set([...titleTerms, ...indexTerms(`${heading}\n${text}`)]);
    batch.push({ n, heading, text, terms: [...terms].map((term) => job.spaceTag + term).join(' ') });
    if (batch.length >= BATCH) flush();
  }
  flush();
  if (n === 0) throw new Unreadable('The document contains no text.');
  return { chunks: n, encoding };
}
