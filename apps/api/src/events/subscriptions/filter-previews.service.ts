import { Injectable } from '@nestjs/common';
import type { FilterPreview } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { findEnvelopes, loadEnvelopes } from '../records/envelopes.store.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { matchFilter } from './filter.ts';
import type { FilterPreviewRequestDto } from './subscriptions.dto.ts';

const MAX_ENVELOPES = 50;
const MAX_BYTES = 4 * 1024 * 1024;

/** Tries filters on past events. */
@Injectable()
export class FilterPreviewsService {
  constructor(
    private readonly database: Database,
    private readonly events: EventDirectoryService,
  ) {}

  /** Matches a filter with the latest envelopes of an event. */
  async preview(spaceId: string, request: FilterPreviewRequestDto): Promise<FilterPreview> {
    const { applicationIdentifier, event: name, filter = null } = request;
    const { manager } = this.database;
    const { applicationId } = await this.events.getRegistered(manager, spaceId, applicationIdentifier, name);
    const latest = { spaceId, events: [{ applicationId, name }], status: null, from: null, to: null };
    const { found } = await findEnvelopes(manager, latest, {
      start: null,
      order: 'desc',
      limit: MAX_ENVELOPES,
    });
    const envelopes = await loadEnvelopes(manager, spaceId, found, MAX_BYTES);
    const items = envelopes
      .filter(({ erasure }) => erasure === null)
      .map(({ id, emittedAt, payload }) => ({
        envelopeId: id,
        emittedAt: emittedAt.toISOString(),
        ...matchFilter(filter, payload),
      }));
    return { items, matched: items.filter(({ matches }) => matches).length };
  }
}
