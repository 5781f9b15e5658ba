import { Injectable } from '@nestjs/common';
import type { ReplayResponse } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit.ts';
import type { AuditedCall } from '../auth/caller.decorator.ts';
import { transactionWithOutcome } from '../infra/database/commit.ts';
import { violates } from '../infra/database/rows.ts';
import { conflict, invalidFor } from '../infra/http/app-error.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import type { EnvelopeEntity } from './envelope.entity.ts';
import { requestCount } from './event-counts.store.ts';
import { getEnvelope } from './envelopes.store.ts';
import { ReplayChecks } from './replay-checks.ts';
import * as store from './replays.store.ts';

/** An envelope changes its status while it is checked only if it is replayed or dispatched at the same time. */
const MAX_TRIES = 5;

@Injectable()
export class ReplaysService {
  constructor(
    private readonly database: DataSource,
    private readonly messaging: Messaging,
    private readonly checks: ReplayChecks,
  ) {}

  /**
   * Dispatches an envelope again, to the subscriptions as they are then. While it is PENDING, returns the generation that is
   * running. A repeated key returns the first replay. Throws CONFLICT for an event that is not registered at present, and
   * VALIDATION_ERROR for a payload that violates its current schema.
   */
  async replay(call: AuditedCall, id: string, requestKey: string | null): Promise<ReplayResponse> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const envelope = await getEnvelope(this.database.manager, call.by.spaceId, id);
      const known = requestKey && (await store.findReplayByKey(this.database, envelope.id, requestKey));
      if (typeof known === 'number') return { envelopeId: envelope.id, generation: known };
      if (envelope.status !== 'PENDING') await this.assertReplayable(envelope);
      const begun = await this.begin(call, envelope, requestKey).catch(nullIfKeyTaken);
      if (begun === null) continue;
      // Also if the replay was running already: its hint may have been lost.
      await this.messaging.publish('envelope', [envelope.id]);
      return { envelopeId: envelope.id, generation: begun.generation };
    }
    throw conflict(`Envelope ${id} is being replayed by others; try again`);
  }

  private async assertReplayable(envelope: EnvelopeEntity): Promise<void> {
    const [problem] = await this.checks.check(this.database, [envelope]);
    if (problem?.retired === true) throw conflict(problem.problems.join('; '));
    if (problem !== undefined) throw invalidFor(problem.problems);
  }

  /** Returns null if the status of the envelope has changed since it was read. */
  private begin(
    call: AuditedCall,
    envelope: EnvelopeEntity,
    requestKey: string | null,
  ): Promise<store.Replayed | null> {
    return transactionWithOutcome(
      this.database,
      (tx) =>
        envelope.status === 'PENDING'
          ? this.joinRunning(tx, envelope, requestKey)
          : this.beginNext(tx, call, envelope, requestKey),
      async (begun) => begun !== null && store.hasReplay(this.database, begun),
    );
  }

  private async joinRunning(
    tx: EntityManager,
    { id, spaceId }: EnvelopeEntity,
    requestKey: string | null,
  ): Promise<store.Replayed | null> {
    const generation = await store.findPendingGeneration(tx, spaceId, id);
    if (generation === null) return null;
    const running = { id, generation };
    if (requestKey === null) return running;
    return { id, generation: await store.claimReplayKey(tx, running, requestKey) };
  }

  private async beginNext(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    { id, spaceId }: EnvelopeEntity,
    requestKey: string | null,
  ): Promise<store.Replayed | null> {
    const [locked] = await store.lockReplayable(tx, spaceId, [id], null);
    if (locked === undefined) return null;
    // After the lock: another request with the key may have held it.
    const known = requestKey && (await store.findReplayByKey(tx, id, requestKey));
    if (typeof known === 'number') return { id, generation: known };
    const order = {
      spaceId,
      requestedBy: by.userId,
      bulkReplayId: null,
      requestKey,
      republishAfterMs: this.messaging.pace.republishAfterMs,
    };
    const begunReplays = await store.insertReplays(tx, order, [id]);
    const [begun] = begunReplays;
    if (begun === undefined) return null;
    await requestCount(tx, spaceId, begunReplays);
    const details = { generation: begun.generation };
    const entry = { action: 'envelope.replay', targetType: 'envelope', targetId: id };
    await recordAudit(tx, by, { ...entry, details, requestId });
    return begun;
  }
}

/** Another request with the key has committed meanwhile. */
function nullIfKeyTaken(error: unknown): null {
  if (violates(error, 'replay_key_pkey')) return null;
  throw error;
}
