import type { Frame, JobPhase, JobStatus } from '@platform/contracts';

const DATA = 'data: ';
/** Pieces of work after which a job is told as about half done. */
const HALF = 60;
const PIECES_PER_STEP = 20;

/** What the log of a running turn tells: its latest frames, and how much there is. */
export interface LogExtent {
  /** Steps of the model that are stored. */
  steps: number;
  lastSeq: number;
  /** The latest frames, as they were sent. */
  tail: Buffer;
}

/** What the job is doing; a running one is told by the last telling frame of its log. */
export function phaseOf(status: JobStatus, log: LogExtent | null): JobPhase {
  switch (status) {
    case 'QUEUED':
      return 'queued';
    case 'RUNNING':
      return log ? phaseIn(log.tail) : 'starting';
    case 'INPUT_REQUIRED':
      return 'waiting-for-input';
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'TIMED_OUT':
      return 'finished';
  }
}

/** How far it is, 0 to 100: nobody knows how much is to come, so it slows down towards 95 and ends with a leap. */
export function progressOf(status: JobStatus, log: LogExtent | null): number {
  if (status === 'COMPLETED') return 100;
  if (log === null) return 0;
  const pieces = log.steps * PIECES_PER_STEP + log.lastSeq;
  return 5 + Math.floor((90 * pieces) / (pieces + HALF));
}

function phaseIn(tail: Buffer): JobPhase {
  const lines = tail.toString('utf8').split('\n');
  for (const line of lines.reverse()) {
    const phase = line.startsWith(DATA) ? phaseAfter(JSON.parse(line.slice(DATA.length)) as AnyFrame) : null;
    if (phase !== null) return phase;
  }
  return 'thinking';
}

type AnyFrame = Frame<{ event?: string }>;

/** What goes on after such a frame; null where it does not tell. */
function phaseAfter({ params }: AnyFrame): JobPhase | null {
  switch (params.data.event) {
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
