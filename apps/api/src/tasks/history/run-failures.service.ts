import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  countLatest,
  RUNS_UNREPORTED,
  takeFailures,
  type RunFailure,
  type TaskRate,
} from './run-failures.store.ts';

export type { RunFailure, TaskRate };

/** Runs that ended without success, for whoever tells people about them. */
@Injectable()
export class RunFailuresService {
  readonly waiting = RUNS_UNREPORTED;

  /** Takes failed runs that were not reported. They count as reported once the transaction commits. */
  take(tx: EntityManager, limit: number): Promise<RunFailure[]> {
    return takeFailures(tx, limit);
  }

  /** Counts the latest runs of tasks that ended, and how many of them failed. */
  countLatest(tx: EntityManager, taskIds: readonly string[], limit: number): Promise<TaskRate[]> {
    return countLatest(tx, taskIds, limit);
  }
}
