import type { JobPhase, JobStatus } from '@platform/contracts';
import { decodeLatestFrames, type FrameData } from '../../streams/frame.ts';

/** The amount of work at which a job is reported as about half done. */
const HALF = 60;
const WORK_PER_STEP = 20;

/** How much the stream of a running turn contains, and its latest frames. */
export interface StreamExtent {
  /** The number of stored model steps. */
  steps: number;
  lastSeq: number;
  /** The latest frames, encoded. */
  tail: Buffer;
}

/** Returns what the job is doing. For a running job, the latest frame that indicates a phase decides. */
export function phaseOf(status: JobStatus, stream: StreamExtent | null): JobPhase {
  switch (status) {
    case 'QUEUED':
      return 'queued';
    case 'RUNNING':
      return stream ? latestPhase(stream.tail) : 'starting';
    case 'INPUT_REQUIRED':
      return 'waiting-for-input';
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'TIMED_OUT':
      return 'finished';
  }
}

/**
 * Returns the progress of a turn that has not completed, 5 to 95. The total amount of work is unknown, so the progress
 * grows ever more slowly.
 */
export function progressOf({ steps, lastSeq }: Pick<StreamExtent, 'steps' | 'lastSeq'>): number {
  const work = steps * WORK_PER_STEP + lastSeq;
  return 5 + Math.floor((90 * work) / (work + HALF));
}

function latestPhase(tail: Buffer): JobPhase {
  for (const { params } of decodeLatestFrames(tail)) {
    const phase = phaseAfter(params.data);
    if (phase !== null) return phase;
  }
  return 'thinking';
}

/** Returns the phase that begins with a frame, or null if the frame does not indicate one. */
function phaseAfter({ event }: FrameData): JobPhase | null {
  switch (event) {
    case 'session-started':
    case 'started':
      return 'starting';
    case 'running':
    case 'message-start':
    case 'knowledge-evidence':
      return 'thinking';
    case 'content-delta':
      return 'answering';
    case 'tool-execution':
    case 'local-tool-call':
    case 'tool-started':
    case 'tool-finished':
    case 'tool-error':
      return 'using-tools';
    case undefined:
    default:
      return null;
  }
}
