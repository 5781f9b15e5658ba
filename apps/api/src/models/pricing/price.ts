import type { ModelPrice } from '@platform/contracts';
import type { ModelUsage } from '../port/model-provider.ts';

/** The part of a usage that has a price. Cached tokens are part of the prompt tokens. */
export type BilledTokens = Pick<ModelUsage, 'promptTokens' | 'completionTokens' | 'cachedTokens'>;

const MICRO = 1_000_000;
/** Tokens × micro-units per million tokens are 1e-12 units. A cost is rounded to 1e-9 units. */
const PER_NANO = 1000n;
const NANO = 1_000_000_000;

/**
 * The cost in the currency of the price, exact to 1e-9. Computed in integers, so that parts add up to the total.
 * Null without a price. If only input or output has one, the other is free. Cached input without a price costs as much as
 * other input.
 */
export function costOf(usage: BilledTokens, price: ModelPrice): number | null {
  if (price.inputPerMillion === null && price.outputPerMillion === null) return null;
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const sum =
    charge(usage.promptTokens - cached, price.inputPerMillion) +
    charge(cached, price.cachedInputPerMillion ?? price.inputPerMillion) +
    charge(usage.completionTokens, price.outputPerMillion);
  return Number((sum + PER_NANO / 2n) / PER_NANO) / NANO;
}

function charge(tokens: number, perMillion: number | null): bigint {
  return BigInt(tokens) * BigInt(Math.round((perMillion ?? 0) * MICRO));
}
