import { Injectable } from '@nestjs/common';
import type { ChatAnswer, ExecuteAnswer, Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { StreamsService } from '../streams/streams.service.ts';
import { SegmentReader } from '../turns/segment-reader.ts';
import { extentsOf } from '../turns/turn-queue.ts';
import { TurnsService } from '../turns/turns.service.ts';
import { phaseOf, progressOf, type LogExtent } from './job-progress.ts';
import { hasEnded } from './job-state.ts';
import { keepProgress, type JobRow } from './jobs.store.ts';

/** Jobs as they are told: read from their turns and from the log of what these say. */
@Injectable()
export class JobViews {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly turns: TurnsService,
    private readonly reader: SegmentReader,
  ) {}

  /** How they stand, without results. */
  async of(jobs: JobRow[]): Promise<Job[]> {
    const logs = await this.logsOf(
      jobs.filter(({ status }) => status === 'RUNNING' || status === 'INPUT_REQUIRED'),
    );
    const told = jobs.map((job) => {
      const log = logs.get(job.id) ?? null;
      const progress = Math.max(job.progress, progressOf(job.status, log));
      return toJob(job, phaseOf(job.status, log), progress);
    });
    await keepProgress(
      this.database,
      told.filter(({ progress }, i) => progress > (jobs[i]?.progress ?? 0)),
    );
    return told;
  }

  /** One with its result, as far as there is one. */
  async whole(row: JobRow): Promise<Job> {
    const [job] = await this.of([row]);
    if (job === undefined) throw new Error(`Job ${row.id} was not told`);
    const result = await this.resultOf(row);
    return result ? { ...job, result } : job;
  }

  private async logsOf(jobs: JobRow[]): Promise<Map<string, LogExtent>> {
    const extents = await extentsOf(
      this.database,
      jobs.map(({ turn }) => turn.id),
    );
    const tails = await this.streams.tails([...extents.values()].map(({ streamId }) => streamId));
    const logs = new Map<string, LogExtent>();
    for (const { id, turn } of jobs) {
      const extent = extents.get(turn.id);
      const tail = extent && tails.get(extent.streamId);
      if (tail) logs.set(id, { steps: extent.steps, lastSeq: tail.lastSeq, tail: tail.data });
    }
    return logs;
  }

  /** What the turn's latest segment answered, where it ended well or asks; all that it said, where it was cancelled. */
  private async resultOf({ form, turn }: JobRow): Promise<ChatAnswer | ExecuteAnswer | null> {
    if (turn.status === 'QUEUED' || turn.status === 'RUNNING' || turn.status === 'FAILED') return null;
    const segment = (await extentsOf(this.database, [turn.id])).get(turn.id);
    if (segment === undefined) return null;
    const opened = await this.turns.recorded(turn, segment);
    const last = await this.reader.fold(opened, new AbortController().signal);
    const answer = turn.status === 'CANCELLED' ? await this.turns.wholeAnswer(turn, last) : last;
    if (form === 'chat') return answer;
    const { answer: text, execution_time, token_usage } = answer;
    return { answer: text, agent_id: turn.agentId, execution_time, token_usage };
  }
}

function toJob(row: JobRow, phase: Job['phase'], progress: number): Job {
  const { id, status, turn, createdAt } = row;
  const error = errorOf(row);
  return {
    id,
    type: 'AGENT_INVOKE',
    agentId: turn.agentId,
    status,
    phase,
    progress,
    sessionId: turn.sessionName,
    turnId: turn.clientTurnId,
    ...(error && { error }),
    createdAt: createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    finishedAt: hasEnded(status) ? (turn.finishedAt?.toISOString() ?? null) : null,
  };
}

function errorOf({ status, timeoutMs, turn }: JobRow): Job['error'] | null {
  if (status === 'TIMED_OUT') {
    return { code: 'TIMED_OUT', message: `The job was not done within ${timeoutMs} ms` };
  }
  if (status !== 'FAILED' && status !== 'CANCELLED') return null;
  return turn.error && { code: turn.error.code, message: turn.error.message };
}
