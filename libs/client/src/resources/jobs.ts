import type { CreateJobRequest, Job, JobQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions, Versioned } from '../http.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type { AgentStream, AttachPosition, StreamOptions } from '../stream-client.ts';
import { path } from '../url.ts';

export interface JobWait {
  /** The version that the caller already has. If it is null or absent, the service responds immediately. */
  version?: string | null | undefined;
  /** Milliseconds that the service waits for another version before it responds; at most 30,000. */
  waitMs?: number | undefined;
}

/** A job and its version. */
export interface VersionedJob {
  job: Job;
  version: string | null;
}

/** Agent invocations that run in the background. */
export class JobsResource {
  private readonly http: HttpClient;
  private readonly streamOptions: StreamOptions;

  constructor(http: HttpClient, streamOptions: StreamOptions) {
    this.http = http;
    this.streamOptions = streamOptions;
  }

  /**
   * Creates a job. With an `idempotencyKey` or a `turnId` the request can be repeated, because a repetition returns the
   * first job.
   */
  create(job: CreateJobRequest, options?: RequestOptions): ApiPromise<Job> {
    return this.createVersioned(job, options).map((created) => created.job);
  }

  /** Creates a job and returns it with its version, for `waitForChange`. */
  createVersioned(job: CreateJobRequest, options?: RequestOptions): ApiPromise<VersionedJob> {
    const idempotent = (job.idempotencyKey ?? job.turnId ?? null) !== null;
    const request = { ...options, method: 'POST' as const, path: '/api/agent-jobs', body: job, idempotent };
    return this.http.getVersioned<Job>(request).map(toJob);
  }

  /** Lists the caller's own jobs, newest first. */
  list(query: JobQuery = {}, options?: RequestOptions): PagePromise<Job> {
    return this.http.list('/api/agent-jobs', { ...query }, options);
  }

  get(jobId: string, options?: RequestOptions): ApiPromise<Job> {
    return this.http.get(path`/api/agent-jobs/${jobId}`, undefined, options);
  }

  /** Returns the job with what it was given. */
  getWithInput(jobId: string, options?: RequestOptions): ApiPromise<Job> {
    return this.http.get(path`/api/agent-jobs/${jobId}`, { include: 'input' }, options);
  }

  /** Returns the job when its version differs from `version`, or null if that takes longer than `waitMs`. */
  waitForChange(
    jobId: string,
    { version, waitMs }: JobWait = {},
    options?: RequestOptions,
  ): ApiPromise<VersionedJob | null> {
    // The client's own timeout starts when the service has stopped waiting.
    const timeout = waitMs === undefined ? {} : { timeoutMs: waitMs + 60_000 };
    const request = {
      ...timeout,
      ...options,
      method: 'GET' as const,
      path: path`/api/agent-jobs/${jobId}`,
      query: { waitMs },
      ...(version !== undefined && { knownVersion: version }),
    };
    return this.http.getVersioned<Job>(request).map((found) => found && toJob(found));
  }

  /** Requests that the job stops, which may take a moment. A job that has ended is returned unchanged. */
  cancel(jobId: string, options?: RequestOptions): ApiPromise<Job> {
    return this.http.postIdempotent(path`/api/agent-jobs/${jobId}/cancel`, {}, options);
  }

  /** Reads the stream of the job's turn: the latest segment unless `position` names another one. */
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
  if (found === null) throw new Error('The response to a new job must not be 304');
  return { job: found.value, version: found.version };
}
