import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';
import {
  eraseRuns,
  listAwaiting,
  listRunsWithoutPayload,
  lockForErasure,
  lockTestsForErasure,
  storePayload,
  type RunWithoutPayload,
} from './run-payloads.store.ts';
import { FIRST } from './run-queue.store.ts';

const BATCH = 100;

/** The payloads of runs, which their envelopes may keep. */
@Injectable()
export class RunPayloadsService {
  /** Lists the runs that have waited for the event of an envelope. */
  listAwaiting(tx: Sql, envelopeId: string): Promise<string[]> {
    return listAwaiting(tx, envelopeId);
  }

  /**
   * Erases what runs of an envelope, and tests that repeat it, were given, returned, and logged. Returns how many of them have not
   * ended: if there are any, the caller rolls back.
   */
  async erase(tx: Sql, spaceId: string, envelopeId: string, ids: readonly string[]): Promise<number> {
    const tests = await lockTestsForErasure(tx, spaceId, envelopeId);
    let { unfinished } = tests;
    if (unfinished === 0) await eraseRuns(tx, tests.ids);
    for (let first = 0; first < ids.length; first += BATCH) {
      const batch = ids.slice(first, first + BATCH);
      const locked = await lockForErasure(tx, spaceId, envelopeId, batch);
      unfinished += locked.unfinished;
      if (unfinished === 0) await eraseRuns(tx, locked.ids);
    }
    return unfinished;
  }

  /**
   * Copies payloads into the runs of envelopes below an id, because the envelopes will be dropped. `read` returns the payload
   * of an envelope as JSON; null if it is gone. One row after another: a claim may lock several runs at once.
   */
  async keep(sql: Sql, before: string, read: (envelopeId: string) => Promise<string | null>): Promise<void> {
    let last: RunWithoutPayload = { id: FIRST, envelopeId: FIRST };
    let payload: string | null = null;
    for (let count = BATCH; count === BATCH;) {
      const found = await listRunsWithoutPayload(sql, before, last, BATCH);
      for (const run of found) {
        if (run.envelopeId !== last.envelopeId) payload = await read(run.envelopeId);
        if (payload !== null) await storePayload(sql, run.id, payload);
        last = run;
      }
      count = found.length;
    }
  }
}
