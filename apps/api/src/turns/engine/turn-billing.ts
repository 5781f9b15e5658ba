import type { EntityManager } from 'typeorm';
import { pipelined } from '../../infra/database/rows.ts';
import { tokensToReserve, type Charge } from '../../usage/charge.ts';
import type { UsageService } from '../../usage/usage.service.ts';
import type { TurnPayer } from '../records/payer.ts';
import { addUsage, setReservation } from '../records/turn-usage.store.ts';
import type { StepUsage } from './active-turn.ts';

/** Longer than any model call: an older reservation was abandoned. */
const RESERVATION_LEASE_MS = 3_600_000;

/** Reserves tokens for the next call. Returns null if there is no limit; throws 402 if no tokens are left. */
export async function reserveForCall(
  tx: EntityManager,
  usage: UsageService,
  { turnRef, spaceId, userId, source }: TurnPayer,
  promptTokens: number,
  maxOutputTokens: number,
  id?: string,
): Promise<string | null> {
  const reservationId = await usage.reserve(tx, {
    id,
    spaceId,
    userId,
    tokens: tokensToReserve(promptTokens, maxOutputTokens),
    source,
    reference: turnRef,
    leaseMs: RESERVATION_LEASE_MS,
  });
  if (reservationId !== null) await setReservation(tx, turnRef, reservationId);
  return reservationId;
}

/**
 * Adds the usage of a call to its turn, writes the charge, and releases the reservation. Must come last in its
 * transaction, because it locks accounts.
 */
export async function chargeCall(
  tx: EntityManager,
  usage: UsageService,
  payer: TurnPayer,
  reservationId: string | null,
  due: StepUsage | null,
): Promise<void> {
  if (due === null) {
    if (reservationId !== null) await usage.release(tx, reservationId);
    return;
  }
  const { turnRef, ...charged } = payer;
  const { callId, ...used } = due;
  const charge: Charge = { ...charged, ...used };
  await pipelined(addUsage(tx, turnRef, due), usage.charge(tx, reservationId ?? callId, charge));
}
