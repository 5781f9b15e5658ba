import { Injectable } from '@nestjs/common';
import type { ReplayResponse } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { violates } from '../../infra/database/rows.ts';
import { conflict, invalidFor } from '../../infra/errors/app-error.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { extendChain, type Chain } from '../../tasks/runs/lineage.ts';
import { RunLineageService } from '../../tasks/runs/run-lineage.service.ts';
import { pathEntry } from '../emission/loop-guard.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';
import { requestCount } from '../summary/event-counts.store.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { ReplayChecksService } from './replay-checks.service.ts';
import * as store from './replays.store.ts';

@Injectable()
export class ReplaysService {
  constructor(
    private readonly database: Database,
    private readonly messaging: Messaging,
    private readonly checks: ReplayChecksService,
    private readonly lineage: RunLineageService,
  ) {}

  /**
   * Dispatches an envelope again, to the subscriptions as they are then. While it is PENDING, or if another request has begun
   * a replay meanwhile, returns that generation. A repeated key returns the first replay. Throws CONFLICT for an event that
   * is not registered at present, or that led to the run that makes the call, and VALIDATION_ERROR for a payload that violates its current schema.
   */
  async replay(call: AuditedCall, id: string, requestKey: string | null): Promise<ReplayResponse> {
    const envelope = await getEnvelope(this.database.manager, call.by.spaceId, id);
    const known = requestKey && (await store.findReplayByKey(this.database, envelope.id, requestKey));
    if (typeof known === 'number') return { envelopeId: envelope.id, generation: known };
    const chain = await this.chainOf(call, envelope);
    if (envelope.status !== 'PENDING') await this.assertReplayable(envelope);
    const { generation } = await this.begin(call, envelope, requestKey, chain).catch((error: unknown) =>
      this.findTaken(error, envelope.id, requestKey),
    );
    // Also if the replay was running already: its hint may have been lost.
    await this.messaging.publish('envelope', [envelope.id]);
    return { envelopeId: envelope.id, generation };
  }

  /** Returns the replay of another request with the key, if that is why this one failed. */
  private async findTaken(error: unknown, id: string, requestKey: string | null): Promise<store.Replayed> {
    if (requestKey === null || !violates(error, 'replay_key_pkey')) throw error;
    const generation = await store.findReplayByKey(this.database, id, requestKey);
    if (generation === null) throw error;
    return { id, generation };
  }

  /** Returns null for a call that no run makes. */
  private async chainOf({ by }: AuditedCall, envelope: EnvelopeEntity): Promise<Chain | null> {
    const run = await this.lineage.find(this.database, by);
    if (run === null) return null;
    const entry = pathEntry(envelope.applicationId, envelope.event);
    const { depth, path } = extendChain(run, entry, `The event ${envelope.event}`);
    return { depth, path: [...path, entry] };
  }

  private async assertReplayable(envelope: EnvelopeEntity): Promise<void> {
    const [problem] = await this.checks.check(this.database, [envelope]);
    if (problem?.retired === true) throw conflict(problem.problems.join('; '));
    if (problem !== undefined) throw invalidFor(problem.problems);
  }

  private begin(
    call: AuditedCall,
    envelope: EnvelopeEntity,
    requestKey: string | null,
    chain: Chain | null,
  ): Promise<store.Replayed> {
    return this.database.transaction(
      (tx) =>
        envelope.status === 'PENDING'
          ? this.join(tx, envelope, requestKey)
          : this.beginNext(tx, call, envelope, requestKey, chain),
      { committed: (begun) => store.hasReplay(this.database, begun) },
    );
  }

  private async join(
    tx: EntityManager,
    { id, generation }: store.Replayed,
    requestKey: string | null,
  ): Promise<store.Replayed> {
    if (requestKey === null) return { id, generation };
    return { id, generation: await store.claimReplayKey(tx, { id, generation }, requestKey) };
  }

  private async beginNext(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    { id, spaceId }: EnvelopeEntity,
    requestKey: string | null,
    chain: Chain | null,
  ): Promise<store.Replayed> {
    const [locked] = await store.lockReplayable(tx, spaceId, [id], null);
    // After the lock: another request with the key may have held it.
    const known = requestKey && (await store.findReplayByKey(tx, id, requestKey));
    if (typeof known === 'number') return { id, generation: known };
    // It was not PENDING when this request read it, so its current generation began later and answers this request, too.
    if (locked === undefined)
      return this.join(tx, { id, generation: await store.getGeneration(tx, spaceId, id) }, requestKey);
    const order = {
      spaceId,
      requestedBy: by.userId,
      bulkReplayId: null,
      requestKey,
      republishAfterMs: this.messaging.pace.republishAfterMs,
      chain,
    };
    const begunReplays = await store.insertReplays(tx, order, [id]);
    const [begun] = begunReplays;
    if (begun === undefined) throw new Error(`Envelope ${id} was locked but not replayed`);
    await requestCount(tx, spaceId, begunReplays);
    const details = { generation: begun.generation };
    const entry = { action: 'envelope.replay' as const, targetType: 'envelope', targetId: id };
    await recordAudit(tx, by, { ...entry, details, requestId });
    return begun;
  }
}
