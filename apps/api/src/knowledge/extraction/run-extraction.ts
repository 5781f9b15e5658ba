import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ExtractionJob, ExtractionMessage } from './extraction-thread.ts';
import { Unreadable } from './unreadable.ts';

const EXTRACTION_MS = 20_000;
const HEAP_MB = 384;

/** Rows for `insertChunks`, as JSON, and how many chunks they contain. */
export interface Extraction {
  rows: string[];
  chunks: number;
}

/**
 * Reads a document in a thread of its own, which is ended after `limitMs`. Throws `Unreadable`, or the reason of the signal.
 * Takes the memory of `job.data`.
 */
export async function runExtraction(
  job: ExtractionJob,
  signal: AbortSignal,
  limitMs = EXTRACTION_MS,
): Promise<Extraction> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Extraction>();
  const rows: string[] = [];
  const thread = startThread(job);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(
    () => reject(new Unreadable(`The document could not be read within ${limitMs / 1000} seconds.`)),
    limitMs,
  );
  thread.on('message', (message: ExtractionMessage) => {
    if (message.type === 'rows') rows.push(message.rows);
    else if (message.type === 'done') resolve({ rows, chunks: message.chunks });
    else reject(new Unreadable(message.message));
  });
  thread.on('error', (error: { code?: string }) => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(isTooLarge ? new Unreadable('Reading the document takes more memory than allowed.') : error);
  });
  thread.on('exit', () => reject(new Error('The extraction thread ended without a result')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

/** Starts the program beside this file, which is TypeScript exactly if this file is. */
function startThread(job: ExtractionJob): Worker {
  const program = new URL(`./extraction-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  // A small Buffer is part of a larger one, which must stay here.
  const data = Uint8Array.from(job.data);
  return new Worker(program, {
    workerData: { ...job, data },
    transferList: [data.buffer],
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
}
