import type { Interaction, Job, JobInput, JobPhase, JobStatus } from '@platform/contracts';
import { AgentJobError } from './errors.ts';
import type { JobsResource, VersionedJob } from './resources/jobs.ts';
import type { Retry } from './retry.ts';
import { sleep } from './timer.ts';
import { randomUuid } from './uuid.ts';

/** The input of a chat or of an execution, and the session it belongs to. */
export type InvokeRequest = JobInput & {
  session_id?: string | null | undefined;
  /** UUID of the user turn. If absent, the service generates one. */
  turnId?: string | null | undefined;
  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  model?: string | null | undefined;
  /** Receives a request when the job ends or asks a question. */
  webhook?: { url: string } | null | undefined;
};

export interface JobProgress {
  phase: JobPhase;
  /** 0 to 100; never decreases. */
  progress: number;
  status: JobStatus;
}

export interface InvokeOptions {
  /** Milliseconds until the job times out: 1 s to 24 h, default 1 h. */
  timeoutMs?: number | undefined;
  /** Repeating a key returns the first job. If absent, every call creates a job. */
  idempotencyKey?: string | undefined;
  /** Called at the start and whenever the phase, the progress, or the status changes. */
  onProgress?: ((progress: JobProgress) => void) | undefined;
  /** Called once for each question of the agent. Answer it with `resume`; the call keeps waiting. */
  onInputRequired?: ((interaction: Interaction, job: Job) => void) | undefined;
  /** Stops waiting. The job continues. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one request waits for a change of the job. Default 20,000, at most 30,000. */
  pollMs?: number | undefined;
}

/** The parts of the API that `invokeAsync` uses. */
export interface InvokeServices {
  jobs: JobsResource;
  listPendingInteractions: (job: Job) => Promise<Interaction[]>;
  retry: Retry;
}

const POLL_MS = 20_000;
/** Limits the request rate if the service responds immediately. */
const PAUSE_MS = 200;

/** Creates a job and returns it when it is COMPLETED. Throws AgentJobError if it ends in any other way. */
export async function invokeAsync(
  services: InvokeServices,
  agentId: string,
  request: InvokeRequest,
  options: InvokeOptions,
): Promise<Job> {
  const { timeoutMs, idempotencyKey = randomUuid(), signal } = options;
  const created = await services.jobs.createVersioned(
    { ...request, agentId, idempotencyKey, ...(timeoutMs !== undefined && { timeoutMs }) },
    { signal },
  );
  const ended = await waitForEnd(services, created, options);
  if (ended.status !== 'COMPLETED') throw new AgentJobError(ended);
  return ended;
}

async function waitForEnd(
  services: InvokeServices,
  created: VersionedJob,
  options: InvokeOptions,
): Promise<Job> {
  const { jobs, retry } = services;
  const { signal, pollMs: waitMs = POLL_MS } = options;
  const report = createReporter(services, options);
  for (let { job, version } = created; ;) {
    await report(job);
    if (hasEnded(job)) return job;
    await sleep(retry.timer, PAUSE_MS, signal);
    const wait = { version, waitMs };
    const changed = await retry.run(() => jobs.waitForChange(created.job.id, wait, { signal }), signal);
    if (changed !== null) ({ job, version } = changed);
  }
}

/** Returns a function that calls the listeners with whatever is new: the progress and the questions of the job. */
function createReporter({ listPendingInteractions, retry }: InvokeServices, options: InvokeOptions) {
  const { onProgress, onInputRequired, signal } = options;
  const reportedIds = new Set<string>();
  let lastProgress = '';
  return async (job: Job): Promise<void> => {
    const { phase, progress, status } = job;
    const current = JSON.stringify([phase, progress, status]);
    if (current !== lastProgress) onProgress?.({ phase, progress, status });
    lastProgress = current;
    if (status !== 'INPUT_REQUIRED' || onInputRequired === undefined) return;
    for (const interaction of await retry.run(() => listPendingInteractions(job), signal)) {
      if (interaction.turnId !== job.turnId || reportedIds.has(interaction.interactionId)) continue;
      reportedIds.add(interaction.interactionId);
      onInputRequired(interaction, job);
    }
  };
}

function hasEnded({ status }: Job): boolean {
  return !['QUEUED', 'RUNNING', 'INPUT_REQUIRED'].includes(status);
}
