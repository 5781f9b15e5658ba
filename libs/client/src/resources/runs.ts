import type {
  AnswerQuestionRequest,
  BulkRunAction,
  BulkRunActionPreview,
  CreateBulkRunActionRequest,
  FailureQuery,
  Failures,
  InboxCount,
  InboxQuery,
  PageQuery,
  PreviewBulkRunActionRequest,
  Question,
  QuestionListing,
  RetryPreview,
  RetryRunRequest,
  Run,
  RunListing,
  RunQuery,
  RunStatus,
  TaskResultList,
  TaskResults,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { sleep, type Timer } from '../timer.ts';
import { path } from '../url.ts';

const ENDED: readonly RunStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED'];
const POLL_MS = 1_000;

export interface RunWait {
  /** Also returns the run once it has one of these statuses, such as `WAITING`. Default: none. */
  until?: readonly RunStatus[] | undefined;
  /** Milliseconds between two looks. Default: 1,000. */
  pollMs?: number | undefined;
  /** Stops waiting. The run continues. */
  signal?: AbortSignal | undefined;
}

/** Runs of tasks. */
export class RunsResource {
  private readonly http: HttpClient;
  private readonly timer: Timer;

  constructor(http: HttpClient, timer: Timer) {
    this.http = http;
    this.timer = timer;
  }

  /** Lists the runs of the caller's tasks, or for admins all runs of the space, newest first, without steps and payloads. */
  list(query: RunQuery = {}, options?: RequestOptions): PagePromise<RunListing> {
    return this.http.list('/api/runs', { ...query }, options);
  }

  /** Lists how the latest 20 runs of each of at most 200 tasks ended, newest first. Tasks without results are left out. */
  async results(taskIds: readonly string[], options?: RequestOptions): Promise<TaskResults[]> {
    const query = { taskIds: taskIds.join(',') };
    return (await this.http.get<TaskResultList>('/api/runs/results', query, options)).items;
  }

  get(runId: string, options?: RequestOptions): ApiPromise<Run> {
    return this.http.get(path`/api/runs/${runId}`, {}, options);
  }

  /** Returns the run once it has ended, however long that takes. */
  async waitFor(runId: string, { until = [], pollMs = POLL_MS, signal }: RunWait = {}): Promise<Run> {
    for (;;) {
      const run = await this.get(runId, { signal });
      if (ENDED.includes(run.status) || until.includes(run.status)) return run;
      await sleep(this.timer, pollMs, signal);
    }
  }

  /** Requests that the run stops, which may take a moment. A run that has ended is returned unchanged. */
  cancel(runId: string, options?: RequestOptions): ApiPromise<Run> {
    return this.http.postIdempotent(path`/api/runs/${runId}/cancel`, {}, options);
  }

  /**
   * Adds an attempt to a run that has failed, was cancelled, or was interrupted. It continues at the step that failed, with the current
   * version of its task or, with `version`, the one that the run began with.
   */
  retry(runId: string, request: RetryRunRequest = {}, options?: RequestOptions): ApiPromise<Run> {
    return this.http.post(path`/api/runs/${runId}/retry`, request, options);
  }

  /** Lists what `retry` would execute again, and what it would keep. It is refused like the retry itself. */
  previewRetry(
    runId: string,
    query: RetryRunRequest = {},
    options?: RequestOptions,
  ): ApiPromise<RetryPreview> {
    return this.http.get(path`/api/runs/${runId}/retry`, { ...query }, options);
  }

  /** Groups the failed runs that nobody has dismissed, by task, step, code, and message. */
  failures(query: FailureQuery = {}, options?: RequestOptions): ApiPromise<Failures> {
    return this.http.get('/api/runs/failures', { ...query }, options);
  }

  /** Counts the runs that a bulk action would be for. */
  previewBulkAction(
    body: PreviewBulkRunActionRequest,
    options?: RequestOptions,
  ): ApiPromise<BulkRunActionPreview> {
    return this.http.postIdempotent('/api/runs/bulk/preview', body, options);
  }

  /** Starts to retry, cancel, or dismiss many runs. `bulkAction` returns the progress. */
  startBulkAction(body: CreateBulkRunActionRequest, options?: RequestOptions): ApiPromise<BulkRunAction> {
    return this.http.post('/api/runs/bulk', body, options);
  }

  bulkAction(id: string, options?: RequestOptions): ApiPromise<BulkRunAction> {
    return this.http.get(path`/api/runs/bulk/${id}`, {}, options);
  }

  /** Lists bulk actions, newest first. */
  bulkActions(query: PageQuery = {}, options?: RequestOptions): PagePromise<BulkRunAction> {
    return this.http.list('/api/runs/bulk', { ...query }, options);
  }

  /** Stops a bulk action. What it has changed stays changed. */
  stopBulkAction(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/runs/bulk/${id}`, options);
  }
}

/** What runs ask people. */
export class InboxResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the questions to the caller: open ones oldest first; with another status, newest first. */
  list(query: InboxQuery = {}, options?: RequestOptions): PagePromise<QuestionListing> {
    return this.http.list('/api/inbox', { ...query }, options);
  }

  /** Returns how many open questions are addressed to the caller. */
  count(options?: RequestOptions): ApiPromise<InboxCount> {
    return this.http.get('/api/inbox/count', {}, options);
  }

  get(questionId: string, options?: RequestOptions): ApiPromise<Question> {
    return this.http.get(path`/api/inbox/${questionId}`, {}, options);
  }

  /** Answers a question. Throws a PlatformError with status 409 that says who answered what if somebody was earlier. */
  answer(
    questionId: string,
    answer: AnswerQuestionRequest = {},
    options?: RequestOptions,
  ): ApiPromise<Question> {
    return this.http.post(path`/api/inbox/${questionId}/answer`, answer, options);
  }
}
