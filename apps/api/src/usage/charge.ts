import type { UsageSource } from '@platform/contracts';
import { AppError } from '../infra/errors/app-error.ts';

export type ChargeSource = Exclude<UsageSource, 'grant'>;

/** What a call used, in tokens and money. */
export interface Charge {
  spaceId: string;
  userId: string;
  source: ChargeSource;
  agentId?: string | null;
  /** The id that the client chose. */
  turnId?: string | null;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** The part of the prompt that the provider read from its cache. */
  cachedTokens: number;
  /** The part of the completion that was used for reasoning. */
  reasoningTokens: number;
  /** In the model's currency, exact to 1e-9. Null if the model has no price. */
  cost: number | null;
  estimated: boolean;
  /** The run of a task that caused the call. */
  causationRunId?: string | null;
}

/** The most tokens that are reserved for a completion. */
const MAX_RESERVED_COMPLETION = 4096;

/** Returns how much a call reserves: its prompt and the expected completion. */
export function tokensToReserve(promptTokens: number, maxOutputTokens: number | null): number {
  return promptTokens + Math.min(maxOutputTokens ?? MAX_RESERVED_COMPLETION, MAX_RESERVED_COMPLETION);
}

/** An account with a limit. `userId` is null for the account of the space. */
export interface Account {
  userId: string | null;
  balance: number;
  reserved: number;
}

/** Throws 402 unless balance − reserved > 0 on every account that a call is charged to. Without accounts there is no limit. */
export function assertTokensAvailable(accounts: Account[]): void {
  const exhausted = accounts.find(({ balance, reserved }) => balance - reserved <= 0);
  if (!exhausted) return;
  const whose =
    exhausted.userId === null ? 'The token balance of the space' : 'The token balance of the user';
  const { balance, reserved } = exhausted;
  throw new AppError(
    'INSUFFICIENT_TOKENS',
    balance > 0
      ? `${whose} is reserved by running calls: ${balance} left, ${reserved} reserved; retry when they have ended`
      : `${whose} is used up; an admin can grant more`,
  );
}
