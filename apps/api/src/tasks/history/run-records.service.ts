import { Injectable } from '@nestjs/common';
import type { Run } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { Database } from '../../infra/database/database.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { RunAttemptEntity } from '../runs/run-attempt.entity.ts';
import { toRunAttempt, toRunListing, toRunStep } from './run-responses.ts';
import { RunEntity } from '../runs/run.entity.ts';
import { listSteps } from './run-steps.store.ts';
import { findRun, type RunRow } from '../runs/runs.store.ts';
import { findKeyWait } from '../keys/run-keys.store.ts';
import { listOpenOfRun } from '../inbox/inbox.store.ts';
import { mayManage } from '../definition/task-access.ts';

/** Reads runs for their owners and for admins. */
@Injectable()
export class RunRecordsService {
  constructor(private readonly database: Database) {}

  /** Throws FORBIDDEN for a run of another space, NOT_FOUND for a run that the caller may not see. */
  async get(caller: UserPrincipal, id: string): Promise<RunRow> {
    const label = `Run ${id}`;
    const run = await findRun(this.database, caller.spaceId, requireUuid(id, label));
    if (run === null) throw await missingOrForeign(this.database.manager, RunEntity, { id }, label);
    if (!mayManage(caller, run)) throw notFound(`${label} does not exist`);
    return run;
  }

  /** Adds the last execution of each step, and all attempts. */
  async describe(run: RunRow): Promise<Run> {
    const { id: runId, attempt } = run;
    const { manager } = this.database;
    const [steps, attempts, questions, waitsForKey] = await Promise.all([
      listSteps(this.database, runId, attempt),
      manager.find(RunAttemptEntity, { where: { runId }, order: { attempt: 'ASC' } }),
      run.finishedAt === null ? listOpenOfRun(this.database, runId) : [],
      run.status === 'QUEUED' ? findKeyWait(this.database, runId) : null,
    ]);
    const { trigger, inputs, erasedAt, test } = run;
    return {
      ...toRunListing(run),
      trigger,
      inputs,
      test: test && { effects: test.effects, workflow: test.workflow, envelopeId: test.envelopeId ?? null },
      erasedAt: erasedAt?.toISOString() ?? null,
      steps: steps.map(toRunStep),
      attempts: attempts.map(toRunAttempt),
      questions,
      waitsForKey,
    };
  }
}
