import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Sql } from '../../infra/database/rows.ts';
import { CatalogService } from '../../models/catalog/catalog.service.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { costOf } from '../../models/pricing/price.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import type { Charge, ChargeSource } from '../../usage/charge.ts';
import { UsageService, type ExpiredReservation } from '../../usage/usage.service.ts';
import { collectLastMessage, type LastMessage } from '../answers/collect-answer.ts';
import { usedTokens, withTurn } from '../context/context-state.ts';
import { loadContext } from '../context/context.store.ts';
import type { Step } from '../records/steps.ts';
import { payerOf } from '../records/payer.ts';
import { countStoredCalls, getTurn, loadSteps, loadSegments } from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';

const SOURCES: ChargeSource[] = ['chat', 'execute', 'job', 'task'];

/**
 * Decides what to charge for model calls whose reservations have expired: nothing while the turn runs, otherwise what it
 * stored. Recovery normally comes long before; if it comes later, it finds the call charged.
 */
@Injectable()
export class ExpiredReservationsWorker implements OnModuleInit {
  constructor(
    private readonly usage: UsageService,
    private readonly streams: StreamsService,
    private readonly catalog: CatalogService,
  ) {}

  onModuleInit(): void {
    for (const source of SOURCES) {
      this.usage.onExpiredReservation(source, (call, tx) => this.used(call, tx));
    }
  }

  private async used(
    { id, reference }: ExpiredReservation,
    tx: EntityManager,
  ): Promise<Charge | null | 'running'> {
    const turn = await getTurn(tx, reference);
    // Another reservation, or an ended turn: this call was charged with its step, or was never made.
    if (turn?.reservationId !== id || turn.status !== 'RUNNING') return null;
    const streamId = (await loadSegments(tx, turn.id)).at(-1)?.streamId;
    if (streamId === undefined || (await this.streams.isLeased(tx, streamId))) return 'running';
    const steps = await loadSteps(tx, turn.id);
    const last = await readInterruptedMessage(tx, this.streams, streamId);
    const used = await usageOfInterrupted(tx, this.catalog, { turn, steps, last });
    return used && this.charge(turn, used);
  }

  private async charge(turn: TurnRow, used: ModelUsage): Promise<Charge> {
    const { turnRef: _, ...payer } = payerOf(turn);
    const price = await this.catalog.priceOf(payer.spaceId, payer.model);
    const cost = price && costOf(used, price);
    return { ...payer, ...used, cost, estimated: true };
  }
}

/** Returns what an interrupted call has written; nothing if the last call that began is stored as a step. */
export async function readInterruptedMessage(
  tx: Sql,
  streams: StreamsService,
  streamId: string,
): Promise<LastMessage> {
  const last = await collectLastMessage(streams.readStored(streamId));
  // Counted, because a step can be stored before the last frames of its call, and two calls can write the same.
  const isStored = last.calls <= (await countStoredCalls(tx, streamId));
  return isStored ? { ...last, text: '', written: '', usage: null } : last;
}

/** What an interrupted call used: its figures if it ended, or an estimate, whose prompt is the context of the session; null: nothing. */
export async function usageOfInterrupted(
  tx: Sql,
  catalog: CatalogService,
  { turn, steps, last }: { turn: TurnRow; steps: Step[]; last: LastMessage },
): Promise<ModelUsage | null> {
  const { written, usage } = last;
  if (usage !== null || written === '') return usage;
  const completionTokens = await countTokens(written);
  const contextWindow = (await catalog.contextWindowOf(turn.spaceId, turn.model)) ?? 0;
  const { context } = await loadContext(tx, turn.sessionRef, contextWindow, turn.n);
  const { tokens: promptTokens } = usedTokens(withTurn(context, { n: turn.n, steps }), 0);
  return { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 };
}
