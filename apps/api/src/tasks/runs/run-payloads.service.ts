import { Injectable } from '@nestjs/common';
import type { Sql } from '../../infra/database/rows.ts';
import { listRunsWithoutPayload, storePayload, type RunWithoutPayload } from './run-payloads.store.ts';

const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** The payloads that runs read from their envelopes. */
@Injectable()
export class RunPayloadsService {
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
