import type { DeliveryOutcome, EnvelopeReason, EnvelopeStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { rows, type Sql } from '../../infra/database/rows.ts';
import { EnvelopeReplayEntity } from '../records/envelope-replay.entity.ts';

/** Lists the latest replays of an envelope, newest first. */
export function listReplays(
  manager: EntityManager,
  envelopeId: string,
  limit: number,
): Promise<EnvelopeReplayEntity[]> {
  return manager.find(EnvelopeReplayEntity, {
    where: { envelopeId },
    order: { generation: 'DESC' },
    take: limit,
  });
}

export interface DeliveryRow {
  generation: number;
  subscriptionId: string;
  runId: string | null;
  outcome: DeliveryOutcome;
}

/** Lists the deliveries of an envelope since a generation, those of the latest first. */
export function listDeliveries(
  sql: Sql,
  envelopeId: string,
  sinceGeneration: number,
  limit: number,
): Promise<DeliveryRow[]> {
  return rows(
    sql,
    `select generation, subscription_id, run_id, outcome from delivery
     where envelope_id = $1 and generation >= $2 order by generation desc, subscription_id desc limit $3`,
    [envelopeId, sinceGeneration, limit],
  );
}

export interface CausationRow {
  id: string;
  event: string;
  status: EnvelopeStatus;
  statusReason: EnvelopeReason | null;
  depth: number;
  causationId: string | null;
  causationRunId: string | null;
  emittedAt: Date;
}

/** Lists the events that a first emission has caused, itself included, oldest first. */
export function listCausation(
  sql: Sql,
  spaceId: string,
  rootId: string,
  limit: number,
): Promise<CausationRow[]> {
  const columns = 'id, event, status, status_reason, depth, causation_id, causation_run_id, emitted_at';
  return rows(
    sql,
    `select ${columns} from envelope where id = $2 and space_id = $1
     union all
     (select ${columns} from envelope
      where root_id = $2 and depth > 0 and id > $2 and space_id = $1 order by id limit $3)
     order by id limit $3`,
    [spaceId, rootId, limit],
  );
}
