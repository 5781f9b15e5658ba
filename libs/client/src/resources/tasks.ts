import type {
  CancelledRuns,
  CancelTaskRunsRequest,
  ChangeTaskOwnerRequest,
  CreateTaskRequest,
  PageQuery,
  Run,
  RunListing,
  TaskRunQuery,
  RunTaskRequest,
  ScheduledTime,
  SchedulePreview,
  Task,
  TaskQuery,
  TaskSchedule,
  TaskVersion,
  TaskVersionDiff,
  TaskVersionListing,
  TestTaskRequest,
  UpdateTaskRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path, withIds } from '../url.ts';
import type { WithIds } from '../url.ts';

/** Workflows that run by hand, by schedule, or when an event occurs. */
export class TasksResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the caller's own tasks, or for admins all tasks of the space. */
  list(query: WithIds<TaskQuery> = {}, options?: RequestOptions): PagePromise<Task> {
    return this.http.list('/api/tasks', withIds({ ...query }), options);
  }

  get(taskId: string, options?: RequestOptions): ApiPromise<Task> {
    return this.http.get(path`/api/tasks/${taskId}`, {}, options);
  }

  create(task: CreateTaskRequest, options?: RequestOptions): ApiPromise<Task> {
    return this.http.post('/api/tasks', task, options);
  }

  update(taskId: string, changes: UpdateTaskRequest, options?: RequestOptions): ApiPromise<Task> {
    return this.http.patch(path`/api/tasks/${taskId}`, changes, options);
  }

  delete(taskId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/tasks/${taskId}`, options);
  }

  /** Starts a run. It continues in the background: `runs.get` returns its progress. */
  run(taskId: string, request: RunTaskRequest = {}, options?: RequestOptions): ApiPromise<Run> {
    return this.http.post(path`/api/tasks/${taskId}/run`, request, options);
  }

  /** Starts a run that tests the task, or a workflow that is not stored. It is in lists only with `isTest: 'true'`. */
  test(taskId: string, request: TestTaskRequest = {}, options?: RequestOptions): ApiPromise<Run> {
    return this.http.post(path`/api/tasks/${taskId}/test`, request, options);
  }

  /** Gives a task to a member, by default to the caller. Only for admins. */
  changeOwner(
    taskId: string,
    request: ChangeTaskOwnerRequest = {},
    options?: RequestOptions,
  ): ApiPromise<Task> {
    return this.http.post(path`/api/tasks/${taskId}/owner`, request, options);
  }

  /** Cancels the runs of a task that wait or execute; with a status, only those. Repeat it while `isAnyLeft`. */
  cancelRuns(
    taskId: string,
    request: CancelTaskRunsRequest = {},
    options?: RequestOptions,
  ): ApiPromise<CancelledRuns> {
    return this.http.post(path`/api/tasks/${taskId}/runs/cancel`, request, options);
  }

  /** Lists the runs of a task, newest first, without steps and payloads. */
  runs(taskId: string, query: TaskRunQuery = {}, options?: RequestOptions): PagePromise<RunListing> {
    return this.http.list(path`/api/tasks/${taskId}/runs`, { ...query }, options);
  }

  /** Lists the versions of a task, newest first, without their workflows. */
  versions(taskId: string, query: PageQuery = {}, options?: RequestOptions): PagePromise<TaskVersionListing> {
    return this.http.list(path`/api/tasks/${taskId}/versions`, { ...query }, options);
  }

  /** Returns a version with its workflow. */
  version(taskId: string, version: number, options?: RequestOptions): ApiPromise<TaskVersion> {
    return this.http.get(path`/api/tasks/${taskId}/versions/${version}`, {}, options);
  }

  /** Returns the steps that differ between a version and another one, by default the current one. */
  compareVersions(
    taskId: string,
    version: number,
    query: { to?: number } = {},
    options?: RequestOptions,
  ): ApiPromise<TaskVersionDiff> {
    return this.http.get(path`/api/tasks/${taskId}/versions/${version}/diff`, { ...query }, options);
  }

  /** Gives a task the workflow of a version, which becomes a new version. */
  restoreVersion(taskId: string, version: number, options?: RequestOptions): ApiPromise<Task> {
    return this.http.post(path`/api/tasks/${taskId}/versions/${version}/restore`, {}, options);
  }

  /** Returns the next five due times of a schedule. */
  schedulePreview(schedule: TaskSchedule, options?: RequestOptions): ApiPromise<SchedulePreview> {
    const { cron, timezone } = schedule;
    return this.http.postIdempotent('/api/tasks/schedule-preview', { cron, timezone }, options);
  }

  /** Lists the due times of a schedule in the last seven days, the latest first, and what became of them. */
  scheduledTimes(
    taskId: string,
    query: PageQuery = {},
    options?: RequestOptions,
  ): PagePromise<ScheduledTime> {
    return this.http.list(path`/api/tasks/${taskId}/schedule/times`, { ...query }, options);
  }
}
