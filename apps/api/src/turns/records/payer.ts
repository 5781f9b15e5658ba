import type { TurnRow, TurnSettings } from './turn.ts';

/** The account that a model call is charged to, with its agent and turn. */
export interface Payer {
  spaceId: string;
  userId: string;
  agentId: string;
  turnId: string | null;
  /** The run of a task that caused the turn. */
  causationRunId: string | null;
}

/** The payer of a turn, with the details for its ledger entries. */
export interface TurnPayer extends Payer {
  turnId: string;
  turnRef: string;
  model: string;
  source: TurnSettings['source'];
}

type PayingTurn = Pick<
  TurnRow,
  'id' | 'turnId' | 'spaceId' | 'userId' | 'agentId' | 'model' | 'settings' | 'causationRunId'
>;

export function payerOf({
  id,
  turnId,
  spaceId,
  userId,
  agentId,
  model,
  settings,
  causationRunId,
}: PayingTurn): TurnPayer {
  return { turnRef: id, turnId, spaceId, userId, agentId, model, source: settings.source, causationRunId };
}
