import { Injectable } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { ProviderError } from '../../models/port/model-provider.ts';
import type { ServingEmbedding } from './embeddings.store.ts';
import { failureOf, ModelCallsService, type KnowledgePayer } from './model-calls.service.ts';
import { codeOf, similarity } from './quantized.ts';
import { scanCodes } from './vectors.store.ts';

/** How long a search waits for a model. */
const MAX_WAIT_MS = 2_000;
/** How long searches do without a model that has just failed, so that not every one of them waits for it. */
const PAUSE_MS = 15_000;
const MAX_PAUSES = 1_000;

/** A passage whose vector is near that of the query. */
export interface Near {
  documentId: string;
  n: number;
}

/** What a model said, or why it could not be asked, as a sentence without a period. */
export type Asked<Result> = { result: Result; notice?: never } | { result: null; notice: string };

/** Asks models on behalf of searches, in bounded time. */
@Injectable()
export class MeaningSearchService {
  private readonly pauses = new Map<string, { until: number; notice: string }>();

  constructor(
    private readonly database: Database,
    private readonly calls: ModelCallsService,
  ) {}

  /** The passages whose vectors are nearest to that of the query, nearest first. */
  near(
    payer: KnowledgePayer,
    { id, model: name, askedDimensions, dimensions, upstreamModel }: ServingEmbedding,
    query: string,
    limit: number,
  ): Promise<Asked<Near[]>> {
    return this.ask(id, name, 'The meaning was not searched', async (signal) => {
      const model = await this.calls.resolveFor(payer.spaceId, name, upstreamModel);
      const call = await this.calls.begin(payer, model, [query]);
      const asked = askedDimensions === null ? {} : { dimensions: askedDimensions };
      const request = { model: model.upstreamModel, texts: [query], ...asked };
      const embedding = model.provider.embed(request, signal).catch(async (error: unknown) => {
        await this.calls.release(call);
        throw error;
      });
      const { vectors, promptTokens } = await embedding;
      const [vector] = vectors;
      const [passages] = await Promise.all([
        vector?.length === dimensions ? scanCodes(this.database, id, codeOf(vector)) : null,
        this.calls.end(call, promptTokens),
      ]);
      if (passages === null || vector === undefined)
        throw new ProviderError('bad-answer', 'The model now makes vectors of other dimensions.');
      return passages
        .map(({ vector: bytes, ...place }) => ({ place, score: similarity(vector, bytes) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ place }) => place);
    });
  }

  /** The positions of the texts, best first. */
  rerank(payer: KnowledgePayer, name: string, query: string, texts: string[]): Promise<Asked<RankedText[]>> {
    return this.ask(`${payer.spaceId} ${name}`, name, 'The result was not ranked again', async (signal) => {
      const model = await this.calls.resolve(payer.spaceId, name);
      const call = await this.calls.begin(payer, model, [query, ...texts]);
      const ranking = model.provider
        .rerank({ model: model.upstreamModel, query, texts }, signal)
        .catch(async (error: unknown) => {
          await this.calls.release(call);
          throw error;
        });
      const { scores, promptTokens } = await ranking;
      await this.calls.end(call, promptTokens);
      return scores
        .map((score, position) => ({ position, score }))
        .sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity));
    });
  }

  /** What fails is told, and never ends the search. `key`: what makes a pause after a failure. */
  private async ask<Result>(
    key: string,
    model: string,
    effect: string,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Asked<Result>> {
    const pause = this.pauses.get(key);
    if (pause !== undefined && pause.until > performance.now()) return { result: null, notice: pause.notice };
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    try {
      const result = await call(signal);
      this.pauses.delete(key);
      return { result };
    } catch (error) {
      const reason = signal.aborted
        ? `${model} did not respond in time`
        : failureOf(error)?.replace(/\.$/, '');
      if (reason === undefined) throw error;
      const notice = `${effect}: ${reason}`;
      const [oldest] = this.pauses.keys();
      if (oldest !== undefined && this.pauses.size >= MAX_PAUSES) this.pauses.delete(oldest);
      // A refusal is quick, and may concern this query alone.
      if (signal.aborted || (error instanceof ProviderError && error.retryable))
        this.pauses.set(key, { until: performance.now() + PAUSE_MS, notice });
      return { result: null, notice };
    }
  }
}

export interface RankedText {
  position: number;
  /** Null: the model left it out. */
  score: number | null;
}
