import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';
import { tokensToReserve, type Charge } from '../../usage/charge.ts';
import type { UsageService } from '../../usage/usage.service.ts';
import type { ActiveTurn, StepUsage } from './active-turn.ts';
import type { TurnRow, TurnSettings } from '../records/turn.ts';

/** Longer than any model call: an older reservation was abandoned. */
const RESERVATION_LEASE_MS = 3_600_000;
/** What the columns of a turn can hold: figures beyond it must not keep the turn from being stored. */
const MAX_INT4 = 2_147_483_647;

/** Whose account a turn is charged to, and for what. */
export interface Payer {
  turnRef: string;
  turnId: string;
  spaceId: string;
  userId: string;
  agentId: string;
  model: string;
  source: TurnSettings['source'];
}

export function payerOf(turn: ActiveTurn): Payer {
  const { id, turnId, userId, agent, model, settings } = turn;
  const { source } = settings;
  return {
    turnRef: id,
    turnId,
    spaceId: agent.spaceId,
    userId,
    agentId: agent.id,
    model: model.name,
    source,
  };
}

export function payerOfRow({ id, turnId, spaceId, userId, agentId, model, settings }: TurnRow): Payer {
  return { turnRef: id, turnId, spaceId, userId, agentId, model, source: settings.source };
}

/** Reserves tokens for the next call. Returns null if there is no limit; throws 402 if no tokens are left. */
export async function reserveForCall(
  tx: EntityManager,
  usage: UsageService,
  payer: Payer,
  promptTokens: number,
  maxOutputTokens: number,
  id?: string,
): Promise<string | null> {
  const { turnRef, spaceId, userId, source } = payer;
  const tokens = tokensToReserve(promptTokens, maxOutputTokens);
  const reservation = {
    id,
    spaceId,
    userId,
    tokens,
    source,
    reference: turnRef,
    leaseMs: RESERVATION_LEASE_MS,
  };
  const reservationId = await usage.reserve(tx, reservation);
  if (reservationId !== null)
    await rows(tx, 'update turn set reservation_id = $2 where id = $1', [turnRef, reservationId]);
  return reservationId;
}

/** Adds the usage of a call to its turn, writes the charge, and releases the reservation. Must come last in its transaction. */
export async function chargeCall(
  tx: EntityManager,
  usage: UsageService,
  payer: Payer,
  reservationId: string | null,
  due: StepUsage | null,
): Promise<void> {
  if (due === null) {
    if (reservationId !== null) await usage.release(tx, reservationId);
    return;
  }
  await rows(
    tx,
    `update turn set prompt_tokens = least(prompt_tokens + $2::bigint, ${MAX_INT4}),
       completion_tokens = least(completion_tokens + $3::bigint, ${MAX_INT4}), cost = cost + $4::numeric, estimated = estimated or $5, reservation_id = null where id = $1`,
    [payer.turnRef, due.promptTokens, due.completionTokens, due.cost, due.estimated],
  );
  const { turnId, spaceId, userId, agentId, model, source } = payer;
  const { callId, ...used } = due;
  const charge: Charge = { spaceId, userId, source, agentId, turnId, model, ...used };
  await usage.charge(tx, reservationId ?? callId, charge);
}
