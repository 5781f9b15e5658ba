import type { CreateJobRequest, Job, JobQuery, Page } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { AgentStreamClient } from '../stream-client.ts';
import type { AgentStream, StreamOptions } from '../stream-client.ts';
import { path } from '../url.ts';
import type { AttachPosition } from './agents.ts';

export interface JobWait {
  /** Milliseconds, at most 30,000, that the service may wait for the job to end before it answers. */
  waitMs?: number;
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
  create(job: CreateJobRequest, options?: RequestOptions): Promise<Job> {
    const recognised = job.idempotencyKey !== undefined && job.idempotencyKey !== null;
    return recognised
      ? this.http.postAgain('/api/agent-jobs', job, options)
      : this.http.post('/api/agent-jobs', job, options);
  }

  /** The caller's own jobs, newest first. */
  list(query: JobQuery = {}, options?: RequestOptions): Promise<Page<Job>> {
    return this.http.get('/api/agent-jobs', { ...query }, options);
  }

  get(jobId: string, { waitMs }: JobWait = {}, options?: RequestOptions): Promise<Job> {
    // The client's own time limit begins where the service's patience ends.
    const patience = waitMs === undefined ? {} : { timeoutMs: waitMs + 60_000 };
    return this.http.get(path`/api/agent-jobs/${jobId}`, { waitMs }, { ...patience, ...options });
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
