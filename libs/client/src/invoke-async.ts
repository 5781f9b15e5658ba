import type { Interaction, Job, JobInput, JobPhase, JobStatus } from '@platform/contracts';
import { AgentJobError } from './errors.ts';
import type { JobsResource, VersionedJob } from './resources/jobs.ts';
import type { Retry } from './retry.ts';
import { sleep } from './timer.ts';
import { randomUuid } from './uuid.ts';

/** What a chat or an execution takes, and the conversation it belongs to. */
export type InvokeRequest = JobInput & {
  session_id?: string | null;
  /** UUID of the user turn. */
  turnId?: string | null;
  /** Told when the job ends. */
  webhook?: { url: string } | null;
};

export interface JobProgress {
  phase: JobPhase;
  /** 0 to 100, never back. */
  progress: number;
  status: JobStatus;
}

export interface InvokeOptions {
  /** Milliseconds after which the service gives the job up: 1 s to 24 h, default 1 h. */
  timeoutMs?: number;
  /** The same key gets the first job; none: a new one for each call. */
  idempotencyKey?: string;
  /** Told at the start and whenever one of the three has changed. */
  onProgress?: (progress: JobProgress) => void;
  /** Told of each question of the agent; answer it by `resume`, the waiting goes on. */
  onInputRequired?: (interaction: Interaction, job: Job) => void;
  /** Stops the waiting; the job goes on. */
  signal?: AbortSignal;
  /** Milliseconds, at most 30,000, that one request waits for a change of the job (20,000). */
  pollMs?: number;
}

/** The rest of the API that waiting for a job needs. */
export interface InvokeServices {
  jobs: JobsResource;
  pendingInteractions: (job: Job) => Promise<Interaction[]>;
  retry: Retry;
}

const POLL_MS = 20_000;
/** Keeps a service that answers at once from being asked without a break. */
const PAUSE_MS = 200;

/** Starts a job and waits for its end; throws AgentJobError where it ends without a result. */
export async function invokeAsync(
  services: InvokeServices,
  agentId: string,
  request: InvokeRequest,
  options: InvokeOptions,
): Promise<Job> {
  const { timeoutMs, idempotencyKey = randomUuid(), signal } = options;
  const first = await services.jobs.start(
    { ...request, agentId, idempotencyKey, ...(timeoutMs !== undefined && { timeoutMs }) },
    { signal },
  );
  const ended = await waitForEnd(services, first, options);
  if (ended.status !== 'COMPLETED') throw new AgentJobError(ended);
  return ended;
}

async function waitForEnd(
  services: InvokeServices,
  first: VersionedJob,
  options: InvokeOptions,
): Promise<Job> {
  const { jobs, retry } = services;
  const { signal, pollMs: waitMs = POLL_MS } = options;
  const tell = teller(services, options);
  for (let { job, version } = first; ;) {
    await tell(job);
    if (hasEnded(job)) return job;
    await sleep(retry.timer, PAUSE_MS, signal);
    const wait = { version, waitMs };
    const changed = await retry.insist(() => jobs.change(first.job.id, wait, { signal }), signal);
    if (changed !== null) ({ job, version } = changed);
  }
}

/** Hands on what is new about a job: its progress and its questions. */
function teller({ pendingInteractions, retry }: InvokeServices, options: InvokeOptions) {
  const { onProgress, onInputRequired, signal } = options;
  const asked = new Set<string>();
  let said = '';
  return async (job: Job): Promise<void> => {
    const { phase, progress, status } = job;
    const now = JSON.stringify([phase, progress, status]);
    if (now !== said) onProgress?.({ phase, progress, status });
    said = now;
    if (status !== 'INPUT_REQUIRED' || onInputRequired === undefined) return;
    for (const interaction of await retry.insist(() => pendingInteractions(job), signal)) {
      if (interaction.turnId !== job.turnId || asked.has(interaction.interactionId)) continue;
      asked.add(interaction.interactionId);
      onInputRequired(interaction, job);
    }
  };
}

function hasEnded({ status }: Job): boolean {
  return !['QUEUED', 'RUNNING', 'INPUT_REQUIRED'].includes(status);
}
