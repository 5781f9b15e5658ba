import { Injectable } from '@nestjs/common';
import type { EnvelopeOutcome, EventFigures, RunStatus } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { RunOutcomesService } from '../../tasks/history/run-outcomes.service.ts';
import { listLastDeliveries, listMissed } from './outcomes.store.ts';

type DeliveryFigures = EventFigures['deliveries'];

const FIGURE_OF: Record<RunStatus, keyof DeliveryFigures> = {
  QUEUED: 'waiting',
  RUNNING: 'waiting',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  INTERRUPTED: 'failed',
  CANCELLED: 'cancelled',
};

export const NO_DELIVERIES: DeliveryFigures = {
  succeeded: 0,
  failed: 0,
  missed: 0,
  cancelled: 0,
  waiting: 0,
};

/** What became of the deliveries of envelopes: of the last one to each subscription. */
@Injectable()
export class OutcomesService {
  constructor(private readonly runs: RunOutcomesService) {}

  /** Counts the last deliveries by envelope. Envelopes without deliveries are omitted, and runs that are no longer kept. */
  async count(
    sql: Sql,
    spaceId: string,
    envelopeIds: readonly string[],
  ): Promise<Map<string, DeliveryFigures>> {
    const counted = new Map<string, DeliveryFigures>();
    if (envelopeIds.length === 0) return counted;
    const deliveries = await listLastDeliveries(sql, envelopeIds);
    const runIds = deliveries.flatMap(({ runId }) => runId ?? []);
    const statuses = await this.runs.findStatuses(sql, spaceId, runIds);
    for (const { envelopeId, runId } of deliveries) {
      const status = runId === null ? null : statuses.get(runId);
      if (status === undefined) continue;
      const figures = counted.get(envelopeId) ?? { ...NO_DELIVERIES };
      figures[status === null ? 'missed' : FIGURE_OF[status]] += 1;
      counted.set(envelopeId, figures);
    }
    return counted;
  }

  /** Lists envelopes that may have failed deliveries, newest first: a later delivery may have succeeded. */
  async listSuspects(
    sql: Sql,
    spaceId: string,
    range: { above: string; below: string },
    limit: number,
  ): Promise<string[]> {
    const failed = await this.runs.listFailedEnvelopes(sql, spaceId, range, limit);
    const missed = await listMissed(sql, spaceId, range, limit);
    return [...new Set([...failed, ...missed])].sort().reverse().slice(0, limit);
  }
}

/** Whether the deliveries of an envelope have an outcome. */
export function hasOutcome(figures: DeliveryFigures | undefined, outcome: EnvelopeOutcome): boolean {
  const { succeeded, failed, missed, waiting } = figures ?? NO_DELIVERIES;
  switch (outcome) {
    case 'FAILED':
      return failed + missed > 0;
    case 'WAITING':
      return waiting > 0;
    case 'SUCCEEDED':
      return succeeded > 0 && failed + missed + waiting === 0;
  }
}
