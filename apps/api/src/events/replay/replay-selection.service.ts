import { Injectable } from '@nestjs/common';
import type { ReplayPreview, ReplayQuery } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { countEnvelopes, type CountFilter } from '../summary/envelope-counts.store.ts';
import { findEnvelopes, type FoundEnvelopes } from '../records/envelopes.store.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';

/** How far envelopes are counted. */
const COUNT_LIMIT = 10_000;

/** The envelopes that the query of a bulk replay selects. */
@Injectable()
export class ReplaySelectionService {
  constructor(private readonly events: EventDirectoryService) {}

  async count(sql: Sql, spaceId: string, query: ReplayQuery): Promise<ReplayPreview> {
    const filter = await this.filterOf(sql, spaceId, query);
    if (filter.events?.length === 0) return { count: 0, limit: COUNT_LIMIT, isLimited: false };
    return countEnvelopes(sql, filter, COUNT_LIMIT);
  }

  /** Finds the next envelopes after a position, oldest first; none of them was recorded after `until`. */
  async findNext(
    sql: Sql,
    spaceId: string,
    query: ReplayQuery,
    { until, start, limit }: { until: Date; start: string | null; limit: number },
  ): Promise<FoundEnvelopes> {
    const filter = await this.filterOf(sql, spaceId, query);
    if (filter.events?.length === 0) return { found: [], scannedTo: null };
    const to = filter.to < until ? filter.to : until;
    return findEnvelopes(sql, { ...filter, to }, { start, order: 'asc', limit });
  }

  private async filterOf(sql: Sql, spaceId: string, query: ReplayQuery): Promise<CountFilter> {
    const { applicationIdentifier, event, status, from, to } = query;
    const events = await this.events.select(sql, spaceId, { applicationIdentifier, event });
    return { spaceId, events, status: status ?? null, from: new Date(from), to: new Date(to) };
  }
}
