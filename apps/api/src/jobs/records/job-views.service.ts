import { Injectable } from '@nestjs/common';
import type { ChatResponse, ExecuteResponse, GivenJobInput, Job } from '@platform/contracts';
import { StreamsService } from '../../streams/streams.service.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import { limitInput } from './job-input.ts';
import { phaseOf, progressOf, type StreamExtent } from './job-progress.ts';
import { JobRecordsService, type JobRow } from './job-records.service.ts';
import { hasEnded } from './job-state.ts';

/** Describes jobs to their owners, from their rows, their turns, and the streams of these. */
@Injectable()
export class JobViewsService {
  constructor(
    private readonly records: JobRecordsService,
    private readonly streams: StreamsService,
    private readonly turns: BackgroundTurnsService,
  ) {}

  /** Describes jobs without their results. */
  async describeAll(jobs: JobRow[]): Promise<Job[]> {
    return (await this.read(jobs)).map(({ job }) => job);
  }

  /** Describes a job with its result, if it has one. */
  async describe(row: JobRow): Promise<Job> {
    const [read] = await this.read([row]);
    if (read === undefined) throw new Error(`Job ${row.id} was not described`);
    const result = await this.loadResult(read.row);
    return result ? { ...read.job, result } : read.job;
  }

  /** Describes what a job was given; null if it was deleted. */
  async describeInput({ turn }: JobRow): Promise<GivenJobInput | null> {
    const given = await this.turns.inputOf(turn);
    return given && limitInput(given.contents, given.variables);
  }

  /**
   * Reads the rows of running jobs again after their streams. What a stream contains then was written before the job moved
   * on, and the move stores at least that as the progress: it never decreases, although reading stores nothing.
   */
  private async read(jobs: JobRow[]): Promise<{ row: JobRow; job: Job }[]> {
    const running = jobs.filter(({ status }) => status === 'RUNNING');
    const extents = await this.loadExtents(running);
    const current = running.length > 0 ? await this.records.listByIds(running.map(({ id }) => id)) : [];
    const rows = new Map(current.map((job) => [job.id, job]));
    return jobs.map((job) => {
      const row = rows.get(job.id) ?? job;
      const extent = extents.get(job.id) ?? null;
      return { row, job: toJob(row, phaseOf(row.status, extent), currentProgress(row, extent)) };
    });
  }

  private async loadExtents(jobs: JobRow[]): Promise<Map<string, StreamExtent>> {
    const turnExtents = await this.turns.extents(jobs.map(({ turn }) => turn.id));
    const tails = await this.streams.getTails([...turnExtents.values()].map(({ streamId }) => streamId));
    const extents = new Map<string, StreamExtent>();
    for (const { id, turn } of jobs) {
      const extent = turnExtents.get(turn.id);
      const tail = extent && tails.get(extent.streamId);
      if (tail) extents.set(id, { steps: extent.steps, lastSeq: tail.lastSeq, tail: tail.data });
    }
    return extents;
  }

  private async loadResult({ form, status, turn }: JobRow): Promise<ChatResponse | ExecuteResponse | null> {
    // A FAILED job is final, although a chat may have run its turn again.
    if (status === 'QUEUED' || status === 'RUNNING' || status === 'FAILED') return null;
    if (hasEnded(status) && status !== 'COMPLETED' && turn.status !== 'CANCELLED') return null;
    const answer = await this.turns.answerOf(turn);
    if (answer === null || form === 'chat') return answer;
    const { answer: text, execution_time, token_usage } = answer;
    return { answer: text, agent_id: turn.agentId, execution_time, token_usage };
  }
}

function currentProgress({ status, progress }: JobRow, extent: StreamExtent | null): number {
  if (status === 'COMPLETED') return 100;
  return status === 'RUNNING' && extent ? Math.max(progress, progressOf(extent)) : progress;
}

function toJob(row: JobRow, phase: Job['phase'], progress: number): Job {
  const { id, status, turn, createdAt, finishedAt } = row;
  const error = errorOf(row);
  return {
    id,
    type: 'AGENT_INVOKE',
    agentId: turn.agentId,
    status,
    phase,
    progress,
    sessionId: turn.sessionName,
    turnId: turn.turnId,
    ...(error && { error }),
    createdAt: createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    finishedAt: hasEnded(status) ? (finishedAt?.toISOString() ?? null) : null,
  };
}

function errorOf({ status, timeoutMs, error }: JobRow): Job['error'] | null {
  if (status === 'TIMED_OUT') {
    return { code: 'TIMED_OUT', message: `The job did not finish within ${timeoutMs} ms` };
  }
  if (status !== 'FAILED' && status !== 'CANCELLED') return null;
  return error && { code: error.code, message: error.message };
}
