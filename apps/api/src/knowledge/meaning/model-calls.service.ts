import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { isUnavailable, whileUnavailable } from '../../infra/database/unavailable.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { ProviderError, type ModelUsage } from '../../models/port/model-provider.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { costOf } from '../../models/pricing/price.ts';
import type { Charge } from '../../usage/charge.ts';
import { UsageService } from '../../usage/usage.service.ts';

/** Who is charged for a call. */
export interface KnowledgePayer extends Pick<
  Charge,
  'spaceId' | 'userId' | 'agentId' | 'turnId' | 'causationRunId'
> {
  spaceId: string;
}

/** A call with what it has reserved. */
export interface BegunCall {
  id: string;
  payer: KnowledgePayer;
  model: ResolvedModel;
  /** What is charged if the provider reports nothing, or if the process dies. */
  estimate: Charge;
}

/** Longer than any call. */
const LEASE_MS = 180_000;
/** How long a call is released while the database is unavailable. */
const RELEASE_MS = 15_000;

/** The calls of models for the knowledge of a space: reserved before, and charged once. */
@Injectable()
export class ModelCallsService {
  private readonly logger = new Logger(ModelCallsService.name);

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogService,
    private readonly usage: UsageService,
  ) {}

  /** The model of that name. Throws a `ProviderError` if there is none, also if the offline model would stand in. */
  async resolve(spaceId: string, name: string): Promise<ResolvedModel> {
    const model = await this.catalog.find(spaceId, name);
    if (model === null || model.standIn)
      throw new ProviderError('unavailable', `Model ${name} is not in the catalog of this space.`);
    return model;
  }

  /** As `resolve`, for vectors that are compared with those made by `upstreamModel`; null: there are none yet. */
  async resolveFor(spaceId: string, name: string, upstreamModel: string | null): Promise<ResolvedModel> {
    const model = await this.resolve(spaceId, name);
    if (upstreamModel !== null && model.upstreamModel !== upstreamModel)
      throw new ProviderError(
        'bad-answer',
        `Model ${name} is now ${model.upstreamModel} instead of ${upstreamModel}; build the vectors again.`,
      );
    return model;
  }

  /** Reserves tokens for a call with these texts. Throws INSUFFICIENT_TOKENS if none are left. */
  async begin(
    payer: KnowledgePayer,
    model: ResolvedModel,
    texts: readonly string[],
    completionTokens = 0,
  ): Promise<BegunCall> {
    let promptTokens = 0;
    for (const text of texts) promptTokens += await countTokens(text);
    const id = uuidV7();
    const { spaceId, userId } = payer;
    const usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    const estimate = chargeOf(payer, model, usage, true);
    const call = { id, spaceId, userId, source: 'knowledge' as const, reference: id, leaseMs: LEASE_MS };
    const reservation = { ...call, chargeOnExpiry: estimate };
    const store = async (tx: EntityManager) => {
      const tokens = promptTokens + completionTokens;
      if ((await this.usage.reserve(tx, { ...reservation, tokens })) === null)
        await this.usage.registerCalls(tx, [reservation]);
    };
    await this.database.transaction(store).catch((error: unknown) => {
      // It may be stored, and a call that was never made would be charged when its lease has passed.
      if (isUnavailable(error)) void this.release({ id });
      throw error;
    });
    return { id, payer, model, estimate };
  }

  /** Charges what was used; null: what was estimated. Last in its transaction. */
  async charge(
    tx: EntityManager,
    { id, payer, model, estimate }: BegunCall,
    usage: ModelUsage | number | null,
  ): Promise<void> {
    const tokens = typeof usage === 'number' ? promptOnly(usage) : usage;
    await this.usage.charge(tx, id, tokens === null ? estimate : chargeOf(payer, model, tokens, false));
  }

  /** As `charge`, in a transaction of its own. */
  async end(call: BegunCall, usage: ModelUsage | number | null): Promise<void> {
    await this.database.transaction((tx) => this.charge(tx, call, usage));
  }

  /** The provider refused the call or did not respond, so it costs nothing. Never rejects. */
  async release({ id }: Pick<BegunCall, 'id'>): Promise<void> {
    const release = () => this.database.transaction((tx) => this.usage.release(tx, id));
    await whileUnavailable(release, undefined, RELEASE_MS).catch((error: unknown) =>
      this.logger.warn({ err: error, call: id }, 'A call that was not made could not be released'),
    );
  }
}

/** Why a call failed, as one sentence; null if it is not the fault of the model. */
export function failureOf(error: unknown): string | null {
  return error instanceof ProviderError || error instanceof AppError ? error.message : null;
}

const promptOnly = (promptTokens: number): ModelUsage => ({
  promptTokens,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
});

function chargeOf(
  payer: KnowledgePayer,
  model: ResolvedModel,
  usage: ModelUsage,
  estimated: boolean,
): Charge {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  const tokens = { promptTokens, completionTokens, cachedTokens, reasoningTokens };
  return {
    ...payer,
    source: 'knowledge',
    model: model.name,
    ...tokens,
    cost: costOf(usage, model.price),
    estimated,
  };
}
