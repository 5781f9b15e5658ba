import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ReplayQuery } from '@platform/contracts';
import { countEnvelopes, type CountFilter, type EnvelopeCount } from '../summary/envelope-counts.store.ts';
import type { EventKey } from '../catalog/catalog.store.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { filterEnvelopes, findEnvelopes, rangeOf, type FoundEnvelopes } from '../records/envelopes.store.ts';
import { OutcomesService } from '../summary/outcomes.service.ts';
import { limitOf, ReplayLimitsService, type ReplayLimit } from './replay-limits.service.ts';
import { listReplayable } from './replays.store.ts';

/** How far envelopes are counted. */
const COUNT_LIMIT = 10_000;
/** How far those are counted whose deliveries have to be judged, */
const FAILED_LIMIT = 2_000;
/** and how many a batch looks at. */
const JUDGED = 300;

/** The envelopes that the query of a bulk replay selects. */
@Injectable()
export class ReplaySelectionService {
  constructor(
    private readonly events: EventDirectoryService,
    private readonly outcomes: OutcomesService,
    private readonly limits: ReplayLimitsService,
  ) {}

  /** Throws VALIDATION_ERROR for a subscription that the space does not have. */
  async count(manager: EntityManager, spaceId: string, query: ReplayQuery): Promise<EnvelopeCount> {
    await this.limits.assertSubscribed(manager, spaceId, limitOf(query), null);
    const filter = await this.filterOf(manager, spaceId, query);
    if (filter.events?.length === 0) return { count: 0, limit: COUNT_LIMIT, isLimited: false };
    if (query.only != null) return this.countFailed(manager, filter, limitOf(query));
    return countEnvelopes(manager, filter, COUNT_LIMIT);
  }

  /** Looks at the latest envelopes that may have failed deliveries. */
  private async countFailed(
    manager: EntityManager,
    filter: CountFilter,
    limit: ReplayLimit,
  ): Promise<EnvelopeCount> {
    const { spaceId, status } = filter;
    const ids = await this.outcomes.listSuspects(manager, spaceId, rangeOf(filter, null), FAILED_LIMIT + 1);
    const looked = await filterEnvelopes(manager, filter, ids.slice(0, FAILED_LIMIT));
    const replayable = await listReplayable(
      manager,
      spaceId,
      looked.map(({ id }) => id),
      status,
    );
    const { length: count } = await this.limits.resolve(manager, spaceId, replayable, limit);
    return { count, limit: FAILED_LIMIT, isLimited: ids.length > FAILED_LIMIT };
  }

  /** Finds the next envelopes after a position, oldest first; none of them was recorded after `until`. */
  async findNext(
    manager: EntityManager,
    spaceId: string,
    query: ReplayQuery,
    { until, start, limit }: { until: Date; start: string | null; limit: number },
  ): Promise<FoundEnvelopes> {
    const filter = await this.filterOf(manager, spaceId, query);
    if (filter.events?.length === 0) return { found: [], scannedTo: null };
    const to = filter.to < until ? filter.to : until;
    const isJudged = query.only != null;
    const scan = { start, order: 'asc' as const, limit: isJudged ? JUDGED : limit };
    const { found, scannedTo } = await findEnvelopes(manager, { ...filter, to }, scan);
    if (!isJudged) return { found, scannedTo };
    const ids = found.map(({ id }) => id);
    const targets = await this.limits.resolve(manager, spaceId, ids, limitOf(query));
    const failed = new Set(targets.map(({ id }) => id));
    const wanted = found.filter(({ id }) => failed.has(id)).slice(0, limit);
    if (wanted.length === limit) return { found: wanted, scannedTo: null };
    return { found: wanted, scannedTo: found.length < JUDGED ? scannedTo : (ids.at(-1) ?? null) };
  }

  private async filterOf(manager: EntityManager, spaceId: string, query: ReplayQuery): Promise<CountFilter> {
    const { applicationIdentifier, event, status, from, to } = query;
    const named = await this.events.select(manager, spaceId, { applicationIdentifier, event });
    const subscribed = await this.limits.eventsOf(manager, spaceId, limitOf(query));
    const events = intersect(named, subscribed);
    return { spaceId, events, status: status ?? null, from: new Date(from), to: new Date(to) };
  }
}

/** The events of both; null: all. */
function intersect(a: EventKey[] | null, b: EventKey[] | null): EventKey[] | null {
  if (a === null || b === null) return a ?? b;
  const keyOf = ({ applicationId, name }: EventKey) => `${applicationId}/${name}`;
  const keys = new Set(b.map(keyOf));
  return a.filter((one) => keys.has(keyOf(one)));
}
