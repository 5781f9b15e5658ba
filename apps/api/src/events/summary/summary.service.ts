import { Injectable } from '@nestjs/common';
import type { EventSummary, EventWindow } from '@platform/contracts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { exactlyOne } from '../../infra/database/rows.ts';
import { summarize, type SummaryRow } from './summary.store.ts';
import { bucketStarts, fillBuckets, successRate, sumOf, WINDOWS, withTotal } from './summary-window.ts';

const TOP_EVENTS = 10;

@Injectable()
export class SummaryService {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
  ) {}

  /** Returns the figures of the events of a space in a window that ends with the current bucket. */
  async summarize(spaceId: string, window: EventWindow): Promise<EventSummary> {
    const { manager } = this.database;
    const { bucketSeconds } = WINDOWS[window];
    const { now } = await exactlyOne<{ now: Date }>(manager, 'select clock_timestamp() as now');
    const starts = bucketStarts(window, now.getTime());
    const [first = 0] = starts;
    const rows = await summarize(manager, spaceId, {
      from: new Date(first),
      to: new Date((starts.at(-1) ?? 0) + bucketSeconds * 1_000),
      bucketSeconds,
      byHour: bucketSeconds >= 3_600,
      topEvents: TOP_EVENTS,
    });
    const inBuckets = rows.filter(({ start }) => start !== null);
    const counted = new Map(inBuckets.map((row) => [row.start?.getTime() ?? 0, row]));
    const buckets = fillBuckets(starts, counted);
    const total = sumOf(buckets);
    return {
      window,
      ...total,
      successRate: successRate(total),
      bucketSeconds,
      buckets,
      topEvents: await this.describe(
        spaceId,
        rows.filter(({ start }) => start === null),
      ),
    };
  }

  private async describe(spaceId: string, rows: readonly SummaryRow[]): Promise<EventSummary['topEvents']> {
    const ids = [...new Set(rows.flatMap(({ applicationId }) => applicationId ?? []))];
    const identifiers = await this.applications.names(this.database, spaceId, ids);
    return rows.map((row) => ({
      applicationIdentifier: identifiers.get(row.applicationId ?? '') ?? '',
      event: row.event ?? '',
      ...withTotal(row),
    }));
  }
}
