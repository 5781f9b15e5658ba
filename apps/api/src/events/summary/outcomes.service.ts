import { Injectable } from '@nestjs/common';
import type { EnvelopeOutcome, EventFigures, RunStatus } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { RunOutcomesService } from '../../tasks/history/run-outcomes.service.ts';
import { listFailedShared, listLastDeliveries, listMissed, type LastDelivery } from './outcomes.store.ts';

type DeliveryFigures = EventFigures['deliveries'];

const FIGURE_OF: Record<RunStatus, keyof DeliveryFigures> = {
  QUEUED: 'waiting',
  RUNNING: 'waiting',
  WAITING: 'waiting',
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
    for (const { envelopeId, figure } of await this.judge(sql, spaceId, envelopeIds)) {
      const figures = counted.get(envelopeId) ?? { ...NO_DELIVERIES };
      figures[figure] += 1;
      counted.set(envelopeId, figures);
    }
    return counted;
  }

  /** Returns the subscriptions whose last delivery has failed, or started no run, by envelope. Envelopes without one are omitted. */
  async listFailed(
    sql: Sql,
    spaceId: string,
    envelopeIds: readonly string[],
  ): Promise<Map<string, string[]>> {
    const failed = new Map<string, string[]>();
    if (envelopeIds.length === 0) return failed;
    for (const { envelopeId, subscriptionId, figure } of await this.judge(sql, spaceId, envelopeIds)) {
      if (figure !== 'failed' && figure !== 'missed') continue;
      failed.set(envelopeId, [...(failed.get(envelopeId) ?? []), subscriptionId]);
    }
    return failed;
  }

  /** Lists envelopes that may have failed deliveries, newest first: a later delivery may have succeeded. */
  async listSuspects(
    sql: Sql,
    spaceId: string,
    range: { above: string; below: string },
    limit: number,
  ): Promise<string[]> {
    // A run names one of its envelopes.
    const named = await this.runs.listFailedEnvelopes(sql, spaceId, range, limit);
    const shared = await listFailedShared(sql, spaceId, range, limit);
    const missed = await listMissed(sql, spaceId, range, limit);
    return [...new Set([...named, ...shared, ...missed])].sort().reverse().slice(0, limit);
  }

  /** Omits runs that are no longer kept. */
  private async judge(
    sql: Sql,
    spaceId: string,
    envelopeIds: readonly string[],
  ): Promise<(LastDelivery & { figure: keyof DeliveryFigures })[]> {
    const deliveries = await listLastDeliveries(sql, envelopeIds);
    const runIds = deliveries.flatMap(({ runId }) => runId ?? []);
    const statuses = await this.runs.findStatuses(sql, spaceId, runIds);
    return deliveries.flatMap((delivery) => {
      const status = delivery.runId === null ? null : statuses.get(delivery.runId);
      if (status === undefined) return delivery.isCollected ? { ...delivery, figure: 'waiting' } : [];
      return { ...delivery, figure: status === null ? 'missed' : FIGURE_OF[status] };
    });
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
