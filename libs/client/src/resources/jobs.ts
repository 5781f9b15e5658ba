import type { CreateJobRequest, Job, JobQuery, Page } from '@platform/contracts';
import type { HttpClient, RequestOptions, Versioned } from '../http.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type { AgentStream, StreamOptions } from '../stream-client.ts';
import { path } from '../url.ts';
import type { AttachPosition } from './agents.ts';

export interface JobWait {
  /** The version that is known; null or absent: none, so that the answer comes at once. */
  version?: string | null;
  /** Milliseconds, at most 30,000, that the service may wait for another version before it answers. */
  waitMs?: number;
}

/** A job with the version that it was read in. */
export interface VersionedJob {
  job: Job;
  version: string | null;
}

/** Agent invocations that run on their own. */
export class JobsResource {
  private readonly http: HttpClient;
  private readonly streamOptions: StreamOptions;

  constructor(http: HttpClient, streamOptions: StreamOptions) {
    this.http = http;
    this.streamOptions = streamOptions;
  }

  /** With an `idempotencyKey` it is sent again when no answer came: the same key gets the first job. */
  async create(job: CreateJobRequest, options?: RequestOptions): Promise<Job> {
    return (await this.start(job, options)).job;
  }

  /** The same, with the version of the new job, so that waiting for its changes misses none. */
  async start(job: CreateJobRequest, options?: RequestOptions): Promise<VersionedJob> {
    const repeatable = job.idempotencyKey !== undefined && job.idempotencyKey !== null;
    const request = { ...options, method: 'POST' as const, path: '/api/agent-jobs', body: job, repeatable };
    return toJob(await this.http.versioned<Job>(request));
  }

  /** The caller's own jobs, newest first. */
  list(query: JobQuery = {}, options?: RequestOptions): Promise<Page<Job>> {
    return this.http.get('/api/agent-jobs', { ...query }, options);
  }

  get(jobId: string, options?: RequestOptions): Promise<Job> {
    return this.http.get(path`/api/agent-jobs/${jobId}`, undefined, options);
  }

  /** The job once it is another than `version`; null if that takes longer than `waitMs`. */
  async change(
    jobId: string,
    { version, waitMs }: JobWait = {},
    options?: RequestOptions,
  ): Promise<VersionedJob | null> {
    // The client's own time limit begins where the service's patience ends.
    const patience = waitMs === undefined ? {} : { timeoutMs: waitMs + 60_000 };
    const found = await this.http.versioned<Job>({
      ...patience,
      ...options,
      method: 'GET',
      path: path`/api/agent-jobs/${jobId}`,
      query: { waitMs },
      seen: version,
    });
    return found && toJob(found);
  }

  /** Asks the job to stop, which may take a moment; what is finished stays as it is. */
  cancel(jobId: string, options?: RequestOptions): Promise<Job> {
    return this.http.postAgain(path`/api/agent-jobs/${jobId}/cancel`, {}, options);
  }

  /** The stream of the job's turn: its latest segment unless another is named. */
  stream(
    jobId: string,
    position: AttachPosition = {},
    options: StreamOptions = {},
  ): AgentStream<string | null> {
    const attachPath = path`/api/agent-jobs/${jobId}/stream`;
    const source = { ...position, turnId: null, attachPath };
    return new AgentStreamClient<string | null>((request) => this.http.open(request), source, {
      ...this.streamOptions,
      ...options,
    });
  }
}

function toJob(found: Versioned<Job> | null): VersionedJob {
  if (found === null) throw new Error('A new job was answered as unchanged');
  return { job: found.value, version: found.version };
}
