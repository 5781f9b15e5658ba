import type { Run, RunListing, RunQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** Runs of tasks. */
export class RunsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the runs of the caller's tasks, or for admins all runs of the space, newest first, without steps and payloads. */
  list(query: RunQuery = {}, options?: RequestOptions): PagePromise<RunListing> {
    return this.http.list('/api/runs', { ...query }, options);
  }

  get(runId: string, options?: RequestOptions): ApiPromise<Run> {
    return this.http.get(path`/api/runs/${runId}`, {}, options);
  }

  /** Requests that the run stops, which may take a moment. A run that has ended is returned unchanged. */
  cancel(runId: string, options?: RequestOptions): ApiPromise<Run> {
    return this.http.postIdempotent(path`/api/runs/${runId}/cancel`, {}, options);
  }

  /** Adds an attempt to a run that has failed, was cancelled, or was interrupted. */
  retry(runId: string, options?: RequestOptions): ApiPromise<Run> {
    return this.http.post(path`/api/runs/${runId}/retry`, {}, options);
  }
}
