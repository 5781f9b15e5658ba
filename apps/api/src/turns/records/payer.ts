import type { TurnRow, TurnSettings } from './turn.ts';

/** Whose account a model call is charged to, and for which agent and turn. */
export interface Payer {
  spaceId: string;
  userId: string;
  agentId: string;
  turnId: string | null;
}

/** The payer of a turn, with what its ledger entries say about it. */
export interface TurnPayer extends Payer {
  turnId: string;
  turnRef: string;
  model: string;
  source: TurnSettings['source'];
}

export function payerOf({
  id,
  turnId,
  spaceId,
  userId,
  agentId,
  model,
  settings,
}: Pick<TurnRow, 'id' | 'turnId' | 'spaceId' | 'userId' | 'agentId' | 'model' | 'settings'>): TurnPayer {
  return { turnRef: id, turnId, spaceId, userId, agentId, model, source: settings.source };
}
