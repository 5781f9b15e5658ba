import { Injectable } from '@nestjs/common';
import type { EnvelopeDetail } from '@platform/contracts';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { RunSummariesService } from '../../tasks/history/run-summaries.service.ts';
import { listCausation, listDeliveries, listReplays } from './envelope-detail.store.ts';
import { toCausationNode, toEnvelope, toEnvelopeRun, toGenerations } from './envelope-views.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { LaterVerdictsService } from './later-verdicts.service.ts';
import { NO_DELIVERIES, OutcomesService } from '../summary/outcomes.service.ts';

const MAX_GENERATIONS = 50;
const MAX_DELIVERIES = 1_000;
const MAX_CAUSATION = 200;

@Injectable()
export class EnvelopesService {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
    private readonly outcomes: OutcomesService,
    private readonly runs: RunSummariesService,
    private readonly laterVerdicts: LaterVerdictsService,
  ) {}

  /** Returns an envelope with what became of it. */
  async get(spaceId: string, id: string): Promise<EnvelopeDetail> {
    const { manager } = this.database;
    const envelope = await getEnvelope(manager, spaceId, id);
    const replays = await listReplays(manager, id, MAX_GENERATIONS);
    const oldest = Math.max(0, envelope.generation - MAX_GENERATIONS + 1);
    const deliveries = await listDeliveries(manager, id, oldest, MAX_DELIVERIES);
    const causation = await listCausation(manager, spaceId, envelope.rootId, MAX_CAUSATION);
    const summaries = await this.runs.find(manager, spaceId, [
      ...deliveries.flatMap(({ runId }) => runId ?? []),
      ...causation.flatMap(({ causationRunId }) => causationRunId ?? []),
    ]);
    const identifiers = await this.applications.names(manager, spaceId, [envelope.applicationId]);
    const figures = await this.outcomes.count(manager, spaceId, [id]);
    const later = await this.laterVerdicts.judge(manager, envelope, replays[0]);
    const { idempotencyKey, actorUserId, causationId, causationRunId, lastError } = envelope;
    return {
      ...toEnvelope(
        envelope,
        identifiers.get(envelope.applicationId) ?? '',
        figures.get(envelope.id) ?? NO_DELIVERIES,
      ),
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
      causation: causation.map((node) => toCausationNode(node, summaries)),
    };
  }
}
