import { Injectable } from '@nestjs/common';
import type { Envelope, EnvelopeDetail, Page } from '@platform/contracts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { parseInstant } from '../../infra/requests/instant.ts';
import { RunSummariesService } from '../../tasks/history/run-summaries.service.ts';
import { listCausation, listDeliveries, listReplays } from './envelope-detail.store.ts';
import { toCausationNode, toEnvelope, toEnvelopeRun, toGenerations } from './envelope-views.ts';
import type { EnvelopeQueryDto } from './envelopes.dto.ts';
import { findEnvelopes, getEnvelope, loadEnvelopes } from '../records/envelopes.store.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { LaterVerdictsService } from './later-verdicts.service.ts';

/** The payloads of a page. */
const PAGE_BYTES = 4 * 1024 * 1024;
const MAX_GENERATIONS = 50;
const MAX_DELIVERIES = 1_000;
const MAX_CAUSATION = 200;

@Injectable()
export class EnvelopesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly applications: ApplicationIdentitiesService,
    private readonly events: EventDirectoryService,
    private readonly runs: RunSummariesService,
    private readonly laterVerdicts: LaterVerdictsService,
  ) {}

  /** Lists the envelopes of a space, newest first. */
  async list(spaceId: string, query: EnvelopeQueryDto): Promise<Page<Envelope>> {
    const { limit, cursor, applicationIdentifier, event, status, from, to } = query;
    const { manager } = this.database;
    const filter = { envelopesOf: spaceId, applicationIdentifier, event, status, from, to };
    const below = this.cursors.idAfter(cursor, filter);
    const events = await this.events.select(manager, spaceId, { applicationIdentifier, event });
    if (events?.length === 0) return { items: [], nextCursor: null };
    const { found, scannedTo } = await findEnvelopes(
      manager,
      { spaceId, events, status: status ?? null, from: parseInstant(from), to: parseInstant(to) },
      { start: below, order: 'desc', limit: limit + 1 },
    );
    const envelopes = await loadEnvelopes(manager, spaceId, found.slice(0, limit), PAGE_BYTES);
    const identifiers = await this.applications.names(manager, spaceId, [
      ...new Set(envelopes.map(({ applicationId }) => applicationId)),
    ]);
    const isComplete = envelopes.length === Math.min(found.length, limit);
    const end = isComplete && found.length <= limit ? scannedTo : (envelopes.at(-1)?.id ?? null);
    return {
      items: envelopes.map((row) => toEnvelope(row, identifiers.get(row.applicationId) ?? '')),
      nextCursor: end === null ? null : this.cursors.encode([end], filter),
    };
  }

  /** Returns an envelope with what became of it. */
  async get(spaceId: string, id: string): Promise<EnvelopeDetail> {
    const { manager } = this.database;
    const envelope = await getEnvelope(manager, spaceId, id);
    const replays = await listReplays(manager, id, MAX_GENERATIONS);
    const oldest = Math.max(0, envelope.generation - MAX_GENERATIONS + 1);
    const deliveries = await listDeliveries(manager, id, oldest, MAX_DELIVERIES);
    const runIds = deliveries.flatMap(({ runId }) => runId ?? []);
    const summaries = await this.runs.find(manager, spaceId, runIds);
    const identifiers = await this.applications.names(manager, spaceId, [envelope.applicationId]);
    const later = await this.laterVerdicts.judge(manager, envelope);
    const { idempotencyKey, actorUserId, causationId, causationRunId, lastError } = envelope;
    return {
      ...toEnvelope(envelope, identifiers.get(envelope.applicationId) ?? ''),
      idempotencyKey,
      actorUserId,
      causationId,
      causationRunId,
      lastError,
      generations: toGenerations(
        envelope,
        later,
        replays,
        (generation) =>
          deliveries
            .filter((delivery) => delivery.generation === generation)
            .flatMap((delivery) => toEnvelopeRun(delivery, summaries) ?? []),
        new Date(),
      ),
      causation: (await listCausation(manager, spaceId, envelope.rootId, MAX_CAUSATION)).map(toCausationNode),
    };
  }
}
