import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { isUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { ProviderError, type Embeddings } from '../../models/port/model-provider.ts';
import {
  claimEmbedding,
  countQueued,
  delayEmbedding,
  EMBEDDINGS_DUE,
  finishEmbedding,
  releaseEmbedding,
  renewEmbedding,
  type ClaimedEmbedding,
} from './embeddings.store.ts';
import { failureOf, ModelCallsService, type BegunCall } from './model-calls.service.ts';
import { bytesOf, codeOf } from './quantized.ts';
import {
  advanceWork,
  endWork,
  insertVectors,
  listWaiting,
  removeSome,
  type NewVector,
  type WaitingPassage,
} from './vectors.store.ts';

/** Versions that a process works on at the same time; most of it is waiting for servers. */
const MAX_RUNNING = 6;
const BATCH = 64;
/** Then the version lets another one go first. */
const BATCHES_PER_CLAIM = 16;
const MS_PER_CLAIM = 30_000;
const CALL_TIMEOUT_MS = 60_000;
/** After so many failures in a row, the cause may be one of the passages. */
const MAX_FAILURES = 4;

/** What a call asks of the model: some passages, and their vectors unless the model refused them. */
interface Batch {
  passages: WaitingPassage[];
  call: BegunCall | null;
  embeddings: Embeddings | null;
}

/** Makes the vectors of passages, and removes those of retired versions. */
@Injectable()
export class EmbeddingWorker extends ClaimWorker<ClaimedEmbedding> {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly calls: ModelCallsService,
  ) {
    super(config, database, {
      name: 'Embeddings',
      maxRunning: MAX_RUNNING,
      waiting: EMBEDDINGS_DUE,
      claim: claimEmbedding,
    });
  }

  /** Never rejects. If the database is unavailable, the lease expires, and another worker goes on. */
  protected async execute(version: ClaimedEmbedding): Promise<void> {
    try {
      if (version.status === 'RETIRED') await this.remove(version);
      else if (!(await this.embedSome(version))) await releaseEmbedding(this.database, version);
    } catch (error) {
      await this.handle(version, error).catch((failure: unknown) =>
        this.logger.warn(
          { err: failure, embedding: version.id },
          'Embeddings wait for the end of their lease',
        ),
      );
    }
  }

  private async handle(version: ClaimedEmbedding, error: unknown): Promise<void> {
    // If another worker has the version, this changes nothing. If it was retired, its vectors are removed at once.
    if (error instanceof Superseded || this.signal.aborted) return releaseEmbedding(this.database, version);
    const reason = failureOf(error);
    if (reason === null) {
      const log = isUnavailable(error) ? 'warn' : 'error';
      this.logger[log]({ err: error, embedding: version.id }, 'Embeddings could not be made; retrying');
    }
    const wait = error instanceof ProviderError ? (error.retryAfter ?? 0) : 0;
    await delayEmbedding(this.database, version, reason ?? 'The vectors could not be stored.', wait);
  }

  /** Returns whether the work has ended; false if other versions shall have their turn. */
  private async embedSome(version: ClaimedEmbedding): Promise<boolean> {
    const model = await this.calls.resolveFor(version.spaceId, version.model, version.upstreamModel);
    const until = performance.now() + MS_PER_CLAIM;
    for (let batches = 0; batches < BATCHES_PER_CLAIM && performance.now() < until; batches++) {
      this.signal.throwIfAborted();
      const queued = await countQueued(this.database, version.id);
      const passages = await listWaiting(this.database, version.id, BATCH);
      if (passages.length > 0) await this.store(version, model, await this.embed(version, model, passages));
      else if ((await endWork(this.database, version.id)) === 0) {
        if (await this.database.transaction((tx) => finishEmbedding(tx, version, queued))) return true;
      }
    }
    return false;
  }

  /**
   * If the model refuses several passages, the first one alone is tried; if it refuses that one and no other text, the passage
   * is left out, so that one text does not stop all others. The same if the server fails again and again: some do for single texts.
   */
  private async embed(
    version: ClaimedEmbedding,
    model: ResolvedModel,
    passages: WaitingPassage[],
  ): Promise<Batch> {
    try {
      const { call, embeddings } = await this.request(version, model, passages.map(textOf));
      return { passages, call, embeddings };
    } catch (error) {
      if (!(error instanceof ProviderError) || !mayConcernText(error, version)) throw error;
      const [first] = passages;
      if (first !== undefined && passages.length > 1) return this.embed(version, model, [first]);
      const probe = await this.request(version, model, ['ready']);
      await this.calls.end(probe.call, probe.embeddings.promptTokens);
      return { passages, call: null, embeddings: null };
    }
  }

  private async request(
    version: ClaimedEmbedding,
    model: ResolvedModel,
    texts: string[],
  ): Promise<{ call: BegunCall; embeddings: Embeddings }> {
    const { spaceId, createdBy: userId, askedDimensions } = version;
    const call = await this.calls.begin({ spaceId, userId }, model, texts);
    try {
      const request = {
        model: model.upstreamModel,
        texts,
        ...(askedDimensions !== null && { dimensions: askedDimensions }),
      };
      const signal = AbortSignal.any([this.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
      const embeddings = await model.provider.embed(request, signal).catch((error: unknown) => {
        if (signal.aborted && !this.signal.aborted)
          throw new ProviderError('timeout', 'The model took too long to make vectors.', { cause: error });
        throw error;
      });
      failpoint('knowledge.embedded');
      return { call, embeddings };
    } catch (error) {
      await this.calls.release(call);
      throw error;
    }
  }

  private async store(
    version: ClaimedEmbedding,
    { upstreamModel }: ResolvedModel,
    { passages, call, embeddings }: Batch,
  ): Promise<void> {
    const dimensions = embeddings?.vectors[0]?.length ?? null;
    const known = version.dimensions;
    if (known !== null && dimensions !== null && known !== dimensions) {
      if (call !== null) await this.calls.end(call, embeddings?.promptTokens ?? null);
      throw new ProviderError(
        'bad-answer',
        `The model now makes vectors of ${dimensions} dimensions instead of ${known}; build them again.`,
      );
    }
    const vectors = passages.map(({ documentId, n }, i): NewVector => {
      const vector = embeddings?.vectors[i];
      return vector === undefined
        ? { documentId, n, code: null, bytes: null }
        : { documentId, n, code: codeOf(vector), bytes: bytesOf(vector) };
    });
    await this.database.transaction(async (tx) => {
      const skipped = embeddings === null ? passages.length : 0;
      if (!(await renewEmbedding(tx, version, { dimensions, upstreamModel, skipped })))
        throw new Superseded();
      await insertVectors(tx, version.id, vectors);
      await advanceWork(tx, version.id, passages);
      await endWork(tx, version.id);
      failpoint('knowledge.vectors-stored');
      if (call !== null) await this.calls.charge(tx, call, embeddings?.promptTokens ?? null);
    });
    version.dimensions ??= dimensions;
  }

  private async remove({ id }: ClaimedEmbedding): Promise<void> {
    while (await removeSome(this.database, id)) this.signal.throwIfAborted();
  }
}

function mayConcernText({ code }: ProviderError, { failures }: ClaimedEmbedding): boolean {
  return (
    code === 'refused' || (failures >= MAX_FAILURES && (code === 'unavailable' || code === 'bad-answer'))
  );
}

/** What of a passage is turned into a vector. */
function textOf({ title, heading, text }: WaitingPassage): string {
  return [title, heading, text].filter((part) => part !== '').join('\n');
}

class Superseded extends Error {}
