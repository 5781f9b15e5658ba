import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { Sql } from '../../infra/database/rows.ts';
import type { CallingRun } from './lineage.ts';
import { findLineage } from './runs.store.ts';

/** Tells what calls of a run were caused by. */
@Injectable()
export class RunLineageService {
  /** Returns null for a call that no run of the space makes. */
  async find(
    sql: Sql,
    { spaceId, causationRunId }: Pick<UserPrincipal, 'spaceId' | 'causationRunId'>,
  ): Promise<CallingRun | null> {
    return causationRunId === null ? null : findLineage(sql, spaceId, causationRunId);
  }
}
