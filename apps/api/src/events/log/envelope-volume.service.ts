import { Injectable } from '@nestjs/common';
import type { EnvelopeVolume } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { KEPT_DAYS } from '../summary/event-counts.store.ts';
import { getFirstHour, readClock, sumBuckets } from '../summary/summary.store.ts';
import type { VolumeQueryDto } from './envelopes.dto.ts';
import { chooseBuckets, HOUR_SECONDS, startsOf } from './volume-window.ts';

const DAY_MS = 86_400_000;
/** Of a longer time, only what follows the first event is of interest. */
const LONG_MS = 100 * DAY_MS;
const EMPTY: EnvelopeVolume = { bucketSeconds: 60, buckets: [] };

/** Counts the envelopes of the log over time, from the same counts as the summary. */
@Injectable()
export class EnvelopeVolumeService {
  constructor(
    private readonly database: Database,
    private readonly events: EventDirectoryService,
  ) {}

  async count(spaceId: string, query: VolumeQueryDto): Promise<EnvelopeVolume> {
    const { manager } = this.database;
    const { applicationIdentifier, event } = query;
    const { now, liveFrom } = await readClock(manager);
    const to = Math.min(parseInstant(query.to)?.getTime() ?? Infinity, now.getTime() + 1);
    const wanted = Math.max(0, parseInstant(query.from)?.getTime() ?? to - DAY_MS);
    const from = to - wanted <= LONG_MS ? wanted : await this.findStart(spaceId, wanted, liveFrom);
    const window = chooseBuckets(from, to, now.getTime() - KEPT_DAYS * DAY_MS);
    if (window === null) return EMPTY;
    const { bucketSeconds } = window;
    const events = await this.events.select(manager, spaceId, { applicationIdentifier, event });
    const counted = await sumBuckets(
      manager,
      spaceId,
      {
        from: new Date(window.from),
        to: new Date(window.to),
        bucketSeconds,
        byHour: bucketSeconds >= HOUR_SECONDS,
        liveFrom: new Date(Math.max(window.from, liveFrom.getTime())),
      },
      events,
    );
    const found = new Map(counted.map(({ start, ...counts }) => [start.getTime(), counts]));
    const none = { dispatched: 0, failed: 0, skipped: 0, pending: 0 };
    return {
      bucketSeconds,
      buckets: startsOf(window).map((start) => ({
        start: new Date(start).toISOString(),
        ...(found.get(start) ?? none),
      })),
    };
  }

  /** The first hour with an event, if that is later. */
  private async findStart(spaceId: string, wanted: number, liveFrom: Date): Promise<number> {
    const first = await getFirstHour(this.database.manager, spaceId);
    return Math.max(wanted, (first ?? liveFrom).getTime());
  }
}
