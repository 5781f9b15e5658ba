import { Injectable } from '@nestjs/common';
import type { ReplayResponse } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { violates, type Sql } from '../../infra/database/rows.ts';
import { conflict, invalidFor } from '../../infra/errors/app-error.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { extendChain, type Chain } from '../../tasks/runs/lineage.ts';
import { RunLineageService } from '../../tasks/runs/run-lineage.service.ts';
import { pathEntry } from '../emission/loop-guard.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';
import { requestCount } from '../summary/event-counts.store.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { ERASED, ReplayChecksService } from './replay-checks.service.ts';
import { isSameLimit, limitOf, ReplayLimitsService, type ReplayLimit } from './replay-limits.service.ts';
import type { ReplayRequestDto } from './replays.dto.ts';
import * as store from './replays.store.ts';

/** How a request wants an envelope to be replayed. */
interface Wanted {
  key: string | null;
  limit: ReplayLimit;
  chain: Chain | null;
}

@Injectable()
export class ReplaysService {
  constructor(
    private readonly database: Database,
    private readonly messaging: Messaging,
    private readonly checks: ReplayChecksService,
    private readonly lineage: RunLineageService,
    private readonly limits: ReplayLimitsService,
  ) {}

  /**
   * Dispatches an envelope again, to the subscriptions as they are then, or to some of them. While it is PENDING, or if another
   * request has begun the same replay meanwhile, returns that generation. A repeated key returns the first replay. Throws CONFLICT for
   * another limit than that of the key or of the running generation, if nothing has failed, and for an event that is not registered at
   * present, or that led to the run that makes the call; VALIDATION_ERROR for a payload that violates its current schema.
   */
  async replay(
    call: AuditedCall,
    id: string,
    { requestKey, ...request }: ReplayRequestDto,
  ): Promise<ReplayResponse> {
    const { manager } = this.database;
    const envelope = await getEnvelope(manager, call.by.spaceId, id);
    const key = requestKey ?? null;
    const limit = limitOf(request);
    const known = await findKnown(manager, envelope.id, key, limit);
    if (known !== null) return { envelopeId: envelope.id, generation: known };
    const { spaceId, applicationId, event: name } = envelope;
    await this.limits.assertSubscribed(manager, spaceId, limit, { applicationId, name });
    const chain = await this.chainOf(call, envelope);
    if (envelope.status !== 'PENDING') await this.assertReplayable(envelope);
    const wanted = { key, limit, chain };
    const { generation } = await this.begin(call, envelope, wanted).catch((error: unknown) =>
      this.findTaken(error, envelope.id, wanted),
    );
    // Also if the replay was running already: its hint may have been lost.
    await this.messaging.publish('envelope', [envelope.id]);
    return { envelopeId: envelope.id, generation };
  }

  /** Returns the replay of another request with the key, if that is why this one failed. */
  private async findTaken(error: unknown, id: string, { key, limit }: Wanted): Promise<store.Replayed> {
    if (key === null || !violates(error, 'replay_key_pkey')) throw error;
    const generation = await findKnown(this.database.manager, id, key, limit);
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

  private begin(call: AuditedCall, envelope: EnvelopeEntity, wanted: Wanted): Promise<store.Replayed> {
    return this.database.transaction(
      (tx) =>
        envelope.status === 'PENDING'
          ? this.join(tx, envelope, wanted)
          : this.beginNext(tx, call, envelope, wanted),
      { committed: (begun) => store.hasReplay(this.database, begun) },
    );
  }

  /** Returns the generation that is running. */
  private async join(
    tx: EntityManager,
    { spaceId, id }: EnvelopeEntity,
    { key, limit }: Wanted,
  ): Promise<store.Replayed> {
    const running = await store.getGeneration(tx, spaceId, id);
    if (!isSameLimit(running, limit))
      throw conflict('The envelope is being dispatched to other subscriptions; replay it again after that');
    const { generation } = running;
    if (key === null) return { id, generation };
    await store.claimReplayKey(tx, { id, generation }, key);
    return { id, generation: (await findKnown(tx, id, key, limit)) ?? generation };
  }

  private async beginNext(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    envelope: EnvelopeEntity,
    wanted: Wanted,
  ): Promise<store.Replayed> {
    const { id, spaceId } = envelope;
    const { key, limit, chain } = wanted;
    const [locked] = await store.lockReplayable(tx, spaceId, [id], null);
    // After the lock: another request with the key may have held it.
    const known = await findKnown(tx, id, key, limit);
    if (known !== null) return { id, generation: known };
    // It was not PENDING when this request read it, so its current generation began later and answers this request, too.
    if (locked === undefined) {
      if (await store.isErased(tx, spaceId, id)) throw conflict(ERASED);
      return this.join(tx, envelope, wanted);
    }
    const targets = await this.limits.resolve(tx, spaceId, [id], limit);
    if (targets.length === 0) throw conflict('No delivery that the replay is limited to has failed');
    const order = {
      spaceId,
      requestedBy: by.userId,
      bulkReplayId: null,
      requestKey: key,
      republishAfterMs: this.messaging.pace.republishAfterMs,
      limit,
      chain,
    };
    const begunReplays = await store.insertReplays(tx, order, targets);
    const [begun] = begunReplays;
    if (begun === undefined) throw new Error(`Envelope ${id} was locked but not replayed`);
    await requestCount(tx, spaceId, begunReplays);
    const { only, subscriptionIds } = limit;
    const details = {
      generation: begun.generation,
      ...(only !== null && { only }),
      ...(subscriptionIds !== null && { subscriptionIds }),
    };
    const entry = { action: 'envelope.replay' as const, targetType: 'envelope', targetId: id };
    await recordAudit(tx, by, { ...entry, details, requestId });
    return begun;
  }
}

/** Returns the generation that a key has requested; null if it has not been used. Throws CONFLICT if it was for another limit. */
async function findKnown(
  sql: Sql,
  id: string,
  key: string | null,
  limit: ReplayLimit,
): Promise<number | null> {
  const known = key === null ? null : await store.findReplayByKey(sql, id, key);
  if (known === null) return null;
  if (!isSameLimit(known, limit)) throw conflict('The requestKey was used for a replay with another limit');
  return known.generation;
}
