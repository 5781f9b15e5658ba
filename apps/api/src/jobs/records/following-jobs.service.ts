import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { StreamsService } from '../../streams/streams.service.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import type { TurnChange, TurnObserver } from '../../turns/transitions/turn-observer.ts';
import { TurnTransitionsService } from '../../turns/transitions/turn-transitions.service.ts';
import { lockJobOf, moveJob, unparkOldest, type LockedJob, type MovedJob } from './job-moves.store.ts';
import { progressOf } from './job-progress.ts';
import { hasEnded, statusAfter } from './job-state.ts';

/** Moves jobs with their turns, in the same transaction. */
@Injectable()
export class FollowingJobsService implements TurnObserver, OnModuleInit {
  readonly source = 'job';

  constructor(
    private readonly turns: BackgroundTurnsService,
    private readonly streams: StreamsService,
    private readonly transitions: TurnTransitionsService,
  ) {}

  onModuleInit(): void {
    this.transitions.observe(this);
  }

  async turnMoved(tx: EntityManager, change: TurnChange): Promise<void> {
    const job = await lockJobOf(tx, change.turnRef);
    if (job !== null) await moveJob(tx, await this.follow(tx, job, change));
  }

  sessionFreed(tx: EntityManager, sessionRef: string): Promise<void> {
    return unparkOldest(tx, sessionRef);
  }

  private async follow(
    tx: EntityManager,
    job: LockedJob,
    { turnRef, status: turnStatus, error, finishedAt }: TurnChange,
  ): Promise<MovedJob> {
    const status = statusAfter({ status: turnStatus, errorCode: error?.code ?? null }, job);
    return {
      id: job.id,
      status,
      error: status === 'FAILED' || status === 'CANCELLED' ? error : null,
      finishedAt: hasEnded(status) ? finishedAt : null,
      progress: job.status === 'QUEUED' ? 0 : await this.reached(tx, turnRef),
    };
  }

  /** How far the latest segment has come. The next one starts from the beginning, and frames are not kept forever. */
  private async reached(tx: EntityManager, turnRef: string): Promise<number> {
    const extent = (await this.turns.extents([turnRef], tx)).get(turnRef);
    if (extent === undefined) return 0;
    const stream = (await this.streams.getStates([extent.streamId], tx)).get(extent.streamId);
    return progressOf({ steps: extent.steps, lastSeq: stream?.lastSeq ?? 0 });
  }
}
