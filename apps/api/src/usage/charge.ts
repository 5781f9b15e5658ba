import type { UsageSource } from '@platform/contracts';
import { AppError } from '../infra/http/app-error.ts';

export type ChargeSource = Exclude<UsageSource, 'grant'>;

/** What a call used, in tokens and money; who calls the model knows both. */
export interface Charge {
  spaceId: string;
  userId: string;
  source: ChargeSource;
  agentId?: string | null;
  /** As the client knows it. */
  turnId?: string | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** The part of the prompt that the provider had cached. */
  cachedTokens: number;
  /** The part of the completion that was reasoning. */
  reasoningTokens: number;
  /** In the model's currency, exact to 1e-9. */
  cost: number;
  estimated: boolean;
  /** The run of a task that caused the call. */
  causationRunId?: string | null;
}

/** The most that a hold counts of a completion that is still to come. */
const MAX_RESERVED_COMPLETION = 4096;

/** What a call holds while it runs: its prompt and the completion that is to be expected. */
export function tokensToReserve(promptTokens: number, maxOutputTokens: number | null): number {
  return promptTokens + Math.min(maxOutputTokens ?? MAX_RESERVED_COMPLETION, MAX_RESERVED_COMPLETION);
}

/** A limited account while it is locked; no `userId`: the space's own. */
export interface Account {
  userId: string | null;
  balance: number;
  reserved: number;
}

/** A call may start while something is left on every account that it is charged to; none: no limit. */
export function assertTokensAvailable(accounts: Account[]): void {
  const exhausted = accounts.find(({ balance, reserved: held }) => balance - held <= 0);
  if (!exhausted) return;
  const whose = exhausted.userId === null ? 'The token balance of the space' : 'Your token balance';
  const { balance, reserved: held } = exhausted;
  throw new AppError(
    'INSUFFICIENT_TOKENS',
    balance > 0
      ? `${whose} is held by running calls: ${balance} left, ${held} held; try again when they have ended`
      : `${whose} is used up; an admin can grant more`,
  );
}
