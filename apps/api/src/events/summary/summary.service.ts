import { Injectable } from '@nestjs/common';
import type { EventSummary, EventWindow } from '@platform/contracts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { RateLimits } from '../../auth/limits/rate-limits.ts';
import { Database } from '../../infra/database/database.ts';
import { RunOutcomesService } from '../../tasks/history/run-outcomes.service.ts';
import { sumRefusals } from './emission-refusals.store.ts';
import { parseEventKey } from './event-key.ts';
import { readClock, summarize, type SummaryRow } from './summary.store.ts';
import {
  add,
  bucketStarts,
  dispatchRate,
  fillBuckets,
  NOTHING,
  successRate,
  toFigures,
  WINDOWS,
  type Counts,
} from './summary-window.ts';

const TOP_EVENTS = 10;
const MINUTE_MS = 60_000;

/** Runs that are too new to be counted. */
interface NewRuns {
  applicationId: string;
  event: string;
  /** Of the bucket. */
  start: number;
  counts: Counts;
}

@Injectable()
export class SummaryService {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
    private readonly runs: RunOutcomesService,
    private readonly limits: RateLimits,
  ) {}

  /** Returns the figures of the events of a space in a window that ends with the current bucket. */
  async summarize(spaceId: string, window: EventWindow): Promise<EventSummary> {
    const { manager } = this.database;
    const { bucketSeconds } = WINDOWS[window];
    const { now, liveFrom: countedUntil } = await readClock(manager);
    const starts = bucketStarts(window, now.getTime());
    const [first = 0] = starts;
    const from = new Date(first);
    const liveFrom = countedUntil < from ? from : countedUntil;
    const newRuns = await this.countNewRuns(spaceId, liveFrom, now, bucketSeconds);
    const rows = await summarize(manager, spaceId, {
      from,
      to: new Date((starts.at(-1) ?? 0) + bucketSeconds * 1_000),
      bucketSeconds,
      byHour: bucketSeconds >= 3_600,
      topEvents: TOP_EVENTS,
      liveFrom,
    });
    const counted = new Map<number, Counts>();
    for (const row of rows) if (row.start !== null) counted.set(row.start.getTime(), row);
    for (const { start, counts } of newRuns) counted.set(start, add(counted.get(start) ?? NOTHING, counts));
    const refusals = await sumRefusals(manager, spaceId, from);
    const total = toFigures([...counted.values()].reduce(add, NOTHING));
    const top = rows.filter(({ start }) => start === null);
    return {
      window,
      ...total,
      successRate: successRate(total.deliveries),
      dispatchRate: dispatchRate(total),
      bucketSeconds,
      buckets: fillBuckets(starts, counted),
      emissionLimit: {
        perMinute: this.limits.emissionsPerMinute,
        refused: refusals.events,
        lastRefusedAt: refusals.lastAt?.toISOString() ?? null,
      },
      topEvents: await this.describe(spaceId, top, newRuns),
    };
  }

  /** Until the current minute, which is not over. */
  private async countNewRuns(
    spaceId: string,
    from: Date,
    now: Date,
    bucketSeconds: number,
  ): Promise<NewRuns[]> {
    const to = new Date(Math.ceil((now.getTime() + 1) / MINUTE_MS) * MINUTE_MS);
    const found = await this.runs.countByMinute(this.database, spaceId, from, to);
    const widthMs = bucketSeconds * 1_000;
    return found.flatMap(({ minute, event, succeeded, failed, cancelled, waiting }) => {
      const key = parseEventKey(event);
      const runs = {
        runsSucceeded: succeeded,
        runsFailed: failed,
        runsCancelled: cancelled,
        runsWaiting: waiting,
      };
      const start = Math.floor(minute.getTime() / widthMs) * widthMs;
      return key === null ? [] : { ...key, start, counts: { ...NOTHING, ...runs } };
    });
  }

  private async describe(
    spaceId: string,
    rows: readonly SummaryRow[],
    newRuns: readonly NewRuns[],
  ): Promise<EventSummary['topEvents']> {
    const ids = [...new Set(rows.flatMap(({ applicationId }) => applicationId ?? []))];
    const identifiers = await this.applications.names(this.database, spaceId, ids);
    return rows.map((row) => {
      const own = newRuns.filter((one) => one.applicationId === row.applicationId && one.event === row.event);
      return {
        applicationIdentifier: identifiers.get(row.applicationId ?? '') ?? '',
        event: row.event ?? '',
        ...toFigures(own.map(({ counts }) => counts).reduce(add, row)),
      };
    });
  }
}
