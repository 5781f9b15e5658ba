import { Injectable } from '@nestjs/common';
import type { EnvelopeOutcome } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { withinBytes } from '../../infra/requests/cursors.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { hashKey } from '../emission/idempotency-key.ts';
import {
  filterEnvelopes,
  findEnvelopes,
  rangeOf,
  type EnvelopeFilter,
  type FoundEnvelope,
  type FoundEnvelopes,
} from '../records/envelopes.store.ts';
import { hasOutcome, OutcomesService } from '../summary/outcomes.service.ts';
import { listByKey, listWithText } from './envelope-search.store.ts';

/** What no index can tell is looked up for this many envelopes at a time, */
const CANDIDATES = 1_000;
/** or their deliveries, of which each may have many, for this many. */
const JUDGED = 300;
/** What a search reads of payloads. */
const SEARCHED_BYTES = 16 * 1024 * 1024;

export interface EnvelopeSearch extends EnvelopeFilter {
  outcome: EnvelopeOutcome | null;
  idempotencyKey: string | null;
  /** In the payload, whatever the case of its letters. */
  text: string | null;
}

export interface SearchedEnvelopes extends FoundEnvelopes {
  /** How many envelopes were looked at, if the search was bounded; otherwise null. */
  searched: number | null;
}

/** Finds envelopes, newest first, also by what is not a column of theirs. */
@Injectable()
export class EnvelopeSearchService {
  constructor(
    private readonly events: EventDirectoryService,
    private readonly outcomes: OutcomesService,
  ) {}

  async find(
    manager: EntityManager,
    search: EnvelopeSearch,
    below: string | null,
    limit: number,
  ): Promise<SearchedEnvelopes> {
    const { outcome, idempotencyKey, text } = search;
    if (outcome === null && idempotencyKey === null && text === null)
      return {
        ...(await findEnvelopes(manager, search, { start: below, order: 'desc', limit })),
        searched: null,
      };
    const { found: candidates, scannedTo } = await this.findCandidates(manager, search, below);
    const read = text === null ? candidates : withinBytes(candidates, SEARCHED_BYTES);
    const matching = await this.check(manager, search, read);
    const found = matching.slice(0, limit);
    const end = read.length < candidates.length ? (read.at(-1)?.id ?? null) : scannedTo;
    const isBounded = outcome !== null || text !== null;
    return { found, scannedTo: found.length < limit ? end : null, searched: isBounded ? read.length : null };
  }

  /** Finds the envelopes that an index selects, and how far it was read. */
  private async findCandidates(
    manager: EntityManager,
    search: EnvelopeSearch,
    below: string | null,
  ): Promise<FoundEnvelopes> {
    const { outcome, idempotencyKey, spaceId } = search;
    if (idempotencyKey !== null) {
      const events = search.events ?? (await this.events.list(manager, spaceId));
      const hashes = (['application', 'test'] as const).map((kind) => hashKey(kind, idempotencyKey));
      const ids = await listByKey(manager, events, hashes);
      const found = await filterEnvelopes(manager, search, ids);
      return { found: found.filter(({ id }) => below === null || id < below), scannedTo: null };
    }
    const limit = outcome === null ? CANDIDATES : JUDGED;
    if (outcome === 'FAILED') {
      const ids = await this.outcomes.listSuspects(manager, spaceId, rangeOf(search, below), limit);
      const scannedTo = ids.length < limit ? null : (ids.at(-1) ?? null);
      return { found: await filterEnvelopes(manager, search, ids), scannedTo };
    }
    const { found, scannedTo } = await findEnvelopes(manager, search, { start: below, order: 'desc', limit });
    return { found, scannedTo: found.length < limit ? scannedTo : (found.at(-1)?.id ?? null) };
  }

  /** Returns those that also have the text and the outcome. */
  private async check(
    manager: EntityManager,
    { spaceId, text, outcome }: EnvelopeSearch,
    candidates: readonly FoundEnvelope[],
  ): Promise<FoundEnvelope[]> {
    const ids = candidates.map(({ id }) => id);
    const withText = text === null ? null : new Set(await listWithText(manager, ids, text));
    const left = candidates.filter(({ id }) => withText?.has(id) ?? true);
    if (outcome === null) return left;
    const figures = await this.outcomes.count(
      manager,
      spaceId,
      left.map(({ id }) => id),
    );
    return left.filter(({ id }) => hasOutcome(figures.get(id), outcome));
  }
}
