import { Injectable } from '@nestjs/common';
import type { ChatResponse, ExecuteResponse, Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { StreamsService } from '../streams/streams.service.ts';
import { BackgroundTurns } from '../turns/lifecycle/background-turns.service.ts';
import { phaseOf, progressOf, type StreamExtent } from './job-progress.ts';
import type { JobRow } from './job-records.ts';
import { hasEnded } from './job-state.ts';
import { recordProgress } from './jobs.store.ts';

/** Jobs as they are told: read from their rows, their turns, and the log of what these say. */
@Injectable()
export class JobViews {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly turns: BackgroundTurns,
  ) {}

  /** How they stand, without results. */
  async describeAll(jobs: JobRow[]): Promise<Job[]> {
    const logs = await this.loadExtents(
      jobs.filter(({ status }) => status === 'RUNNING' || status === 'INPUT_REQUIRED'),
    );
    const told = jobs.map((job) => {
      const log = logs.get(job.id) ?? null;
      const progress = Math.max(job.progress, progressOf(job.status, log));
      return toJob(job, phaseOf(job.status, log), progress);
    });
    await recordProgress(
      this.database,
      told.filter(({ progress }, i) => progress > (jobs[i]?.progress ?? 0)),
    );
    return told;
  }

  /** One with its result, as far as there is one. */
  async describe(row: JobRow): Promise<Job> {
    const [job] = await this.describeAll([row]);
    if (job === undefined) throw new Error(`Job ${row.id} was not told`);
    const result = await this.loadResult(row);
    return result ? { ...job, result } : job;
  }

  private async loadExtents(jobs: JobRow[]): Promise<Map<string, StreamExtent>> {
    const extents = await this.turns.extents(jobs.map(({ turn }) => turn.id));
    const tails = await this.streams.getTails([...extents.values()].map(({ streamId }) => streamId));
    const logs = new Map<string, StreamExtent>();
    for (const { id, turn } of jobs) {
      const extent = extents.get(turn.id);
      const tail = extent && tails.get(extent.streamId);
      if (tail) logs.set(id, { steps: extent.steps, lastSeq: tail.lastSeq, tail: tail.data });
    }
    return logs;
  }

  private async loadResult({ form, status, turn }: JobRow): Promise<ChatResponse | ExecuteResponse | null> {
    // A job that has FAILED stays so, although a chat may have run its turn again.
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
    return { code: 'TIMED_OUT', message: `The job was not done within ${timeoutMs} ms` };
  }
  if (status !== 'FAILED' && status !== 'CANCELLED') return null;
  return error && { code: error.code, message: error.message };
}
