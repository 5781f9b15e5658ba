import { parentPort, workerData } from 'node:worker_threads';
import { parseBuffer } from 'music-metadata';

// The program of the thread. Node.js runs it without compiling it: only types that can be removed are allowed.

/** What a file says about its audio. */
export interface AudioMetadata {
  /** Seconds. */
  duration: number | undefined;
  hasAudio: boolean | undefined;
  hasVideo: boolean | undefined;
}

const { format } = await parseBuffer(workerData as Uint8Array, undefined, {
  duration: true,
  skipCovers: true,
});
const { duration, hasAudio, hasVideo } = format;
parentPort?.postMessage({ duration, hasAudio, hasVideo } satisfies AudioMetadata);
