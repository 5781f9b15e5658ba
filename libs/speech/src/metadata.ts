import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AudioMetadata } from './metadata-thread.ts';

/** Far more than a minute of audio takes. */
const MAX_MS = 3_000;
const MAX_HEAP_MB = 128;
/** Whoever has waited longer for the files before it is not read. */
const MAX_WAIT_MS = 10_000;

const PROGRAM = new URL(`./metadata-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads what a file says about its audio; undefined if that cannot be read in time. With some files of a few megabytes, the parser
 * would be busy for hours, so that it has a thread of its own, which can be ended. One file is read at a time.
 */
export function readMetadata(bytes: Buffer): Promise<AudioMetadata | undefined> {
  const until = performance.now() + MAX_WAIT_MS;
  const reading = last
    .then(() => (performance.now() < until ? readInThread(bytes) : undefined))
    .catch(() => undefined);
  last = reading;
  return reading;
}

async function readInThread(bytes: Buffer): Promise<AudioMetadata | undefined> {
  const { promise, resolve } = Promise.withResolvers<AudioMetadata | undefined>();
  const thread = new Worker(PROGRAM, {
    workerData: bytes,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const timer = setTimeout(() => void thread.terminate(), MAX_MS);
  thread.on('message', resolve);
  // What is not audio is an error of the parser.
  thread.on('error', () => resolve(undefined));
  thread.on('exit', () => resolve(undefined));
  const metadata = await promise;
  clearTimeout(timer);
  await thread.terminate();
  return metadata;
}
