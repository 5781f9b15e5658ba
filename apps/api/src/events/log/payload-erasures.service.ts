import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { RunPayloadsService } from '../../tasks/runs/run-payloads.service.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { requestCount } from '../summary/event-counts.store.ts';
import * as store from './payload-erasures.store.ts';

@Injectable()
export class PayloadErasuresService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunPayloadsService,
  ) {}

  /**
   * Erases the payload of an envelope, and what its runs were given, returned, and logged. Does nothing the second time.
   * Throws CONFLICT while the envelope is PENDING, or one of its runs has not ended.
   */
  async erase(call: AuditedCall, id: string): Promise<void> {
    const { spaceId } = call.by;
    const envelope = await getEnvelope(this.database.manager, spaceId, id);
    const committed = async () =>
      (await getEnvelope(this.database.manager, spaceId, envelope.id)).erasure !== null;
    await this.database.transaction((tx) => this.eraseWithin(tx, call, envelope), { committed });
  }

  /** The lock of the envelope keeps replays away, and the locks of its runs new attempts. */
  private async eraseWithin(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    envelope: EnvelopeEntity,
  ): Promise<void> {
    const { id } = envelope;
    const { status, isErased } = await store.lockForErasure(tx, by.spaceId, id);
    if (isErased) return;
    if (status === 'PENDING')
      throw conflict(`Envelope ${id} is PENDING: its payload can be erased once it is dispatched`);
    const found = [...(await store.listRunIds(tx, id)), ...(await this.runs.listAwaiting(tx, id))];
    // In one order: another erasure may lock some of them as well.
    const runIds = [...new Set(found)].sort();
    const unfinished = await this.runs.erase(tx, by.spaceId, id, runIds);
    if (unfinished > 0)
      throw conflict(
        `${unfinished} of the runs of envelope ${id} have not ended: wait for them, or cancel them`,
      );
    await store.erasePayload(tx, id, by.userId);
    await requestCount(tx, by.spaceId, [envelope]);
    const entry = { action: 'envelope.erase-payload' as const, targetType: 'envelope', targetId: id };
    await recordAudit(tx, by, { ...entry, details: { runs: runIds.length }, requestId });
  }
}
