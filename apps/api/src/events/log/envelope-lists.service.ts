import { Injectable } from '@nestjs/common';
import type { Envelope, EnvelopePage } from '@platform/contracts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { parseInstant, timeOfId } from '../../infra/requests/instant.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { loadEnvelopes } from '../records/envelopes.store.ts';
import { toEnvelope } from './envelope-views.ts';
import type { EnvelopeQueryDto } from './envelopes.dto.ts';
import { EnvelopeSearchService, type EnvelopeSearch } from './envelope-search.service.ts';
import { NO_DELIVERIES, OutcomesService } from '../summary/outcomes.service.ts';

/** The payloads of a page. */
const PAGE_BYTES = 4 * 1024 * 1024;

@Injectable()
export class EnvelopeListsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly applications: ApplicationIdentitiesService,
    private readonly events: EventDirectoryService,
    private readonly search: EnvelopeSearchService,
    private readonly outcomes: OutcomesService,
  ) {}

  /** Lists the envelopes of a space, newest first. */
  async list(spaceId: string, query: EnvelopeQueryDto): Promise<EnvelopePage> {
    const { limit, cursor, ...wanted } = query;
    const { applicationIdentifier, event, status, from, to, outcome, idempotencyKey, text } = wanted;
    const { manager } = this.database;
    const key = {
      envelopesOf: spaceId,
      applicationIdentifier,
      event,
      status,
      from,
      to,
      outcome,
      idempotencyKey,
      text,
    };
    const below = this.cursors.idAfter(cursor, key);
    const events = await this.events.select(manager, spaceId, { applicationIdentifier, event });
    if (events?.length === 0) return { items: [], nextCursor: null };
    const search: EnvelopeSearch = {
      spaceId,
      events,
      status: status ?? null,
      from: parseInstant(from),
      to: parseInstant(to),
      outcome: outcome ?? null,
      idempotencyKey: idempotencyKey ?? null,
      text: text ?? null,
    };
    const { found, scannedTo, searched } = await this.search.find(manager, search, below, limit + 1);
    const envelopes = await loadEnvelopes(manager, spaceId, found.slice(0, limit), PAGE_BYTES);
    const isComplete = envelopes.length === Math.min(found.length, limit);
    const end = isComplete && found.length <= limit ? scannedTo : (envelopes.at(-1)?.id ?? null);
    const identifiers = await this.applications.names(manager, spaceId, [
      ...new Set(envelopes.map(({ applicationId }) => applicationId)),
    ]);
    const figures = await this.outcomes.count(
      manager,
      spaceId,
      envelopes.map(({ id }) => id),
    );
    return {
      items: envelopes.map((row): Envelope => {
        const identifier = identifiers.get(row.applicationId) ?? '';
        return toEnvelope(row, identifier, figures.get(row.id) ?? NO_DELIVERIES);
      }),
      nextCursor: end === null ? null : this.cursors.encode([end], key),
      ...(searched !== null && {
        searched: { envelopes: searched, to: end === null ? null : new Date(timeOfId(end)).toISOString() },
      }),
    };
  }
}
