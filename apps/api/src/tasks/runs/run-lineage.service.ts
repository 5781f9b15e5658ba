import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';
import type { CallingRun } from './lineage.ts';
import { findLineage } from './runs.store.ts';

/** Tells what calls of a run were caused by. */
@Injectable()
export class RunLineageService {
  /** Returns null if the space has no such run. */
  find(sql: Sql, spaceId: string, runId: string): Promise<CallingRun | null> {
    return findLineage(sql, spaceId, runId);
  }
}
