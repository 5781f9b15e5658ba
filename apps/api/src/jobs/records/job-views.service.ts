import { Injectable } from '@nestjs/common';
import type { ChatResponse, ExecuteResponse, Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { StreamsService } from '../../streams/streams.service.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import { phaseOf, progressOf, type StreamExtent } from './job-progress.ts';
import type { JobRow } from './job-records.service.ts';
import { hasEnded } from './job-state.ts';
import { recordProgress } from './jobs.store.ts';

/** Describes jobs to their owners, from their rows, their turns, and the streams of these. */
@Injectable()
export class JobViewsService {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly turns: BackgroundTurnsService,
  ) {}

  /** Describes jobs without their results. */
  async describeAll(jobs: JobRow[]): Promise<Job[]> {
    const extents = await this.loadExtents(
      jobs.filter(({ status }) => status === 'RUNNING' || status === 'INPUT_REQUIRED'),
    );
    const described = jobs.map((job) => {
      const extent = extents.get(job.id) ?? null;
      const progress = Math.max(job.progress, progressOf(job.status, extent));
      return toJob(job, phaseOf(job.status, extent), progress);
    });
    await recordProgress(
      this.database,
      described.filter(({ progress }, i) => progress > (jobs[i]?.progress ?? 0)),
    );
    return described;
  }

  /** Describes a job with its result, if it has one. */
  async describe(row: JobRow): Promise<Job> {
    const [job] = await this.describeAll([row]);
    if (job === undefined) throw new Error(`Job ${row.id} was not described`);
    const result = await this.loadResult(row);
    return result ? { ...job, result } : job;
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
