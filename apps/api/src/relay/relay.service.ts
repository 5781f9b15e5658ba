import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { OFFLINE_MODEL } from '@platform/contracts';
import type { Response } from 'express';
import { OpenResponsesRegistry } from '../auth/credentials/open-responses.registry.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { AppError, unavailable } from '../infra/errors/app-error.ts';
import { untilAborted } from '../infra/runtime/until-aborted.ts';
import { CatalogService, type ResolvedModel } from '../models/catalog/catalog.service.ts';
import { costOf } from '../models/pricing/price.ts';
import { tokensToReserve, type Charge } from '../usage/charge.ts';
import { forwardCall } from './forward.ts';
import { respondOffline } from './offline-call.ts';
import { parseModelRequest } from './offline-request.ts';
import { RelayLedgerWorker } from './relay-ledger.worker.ts';
import type { JsonObject } from '../infra/runtime/json.ts';
import {
  parseModelName,
  parseCompletionRequest,
  parseEmbeddingRequest,
  parseResponsesRequest,
  estimatePromptTokens,
  invalidField,
  type RelayRequest,
} from './relay-request.ts';
import { noResponsesApi } from './upstream-error.ts';
import { createProgress, NO_USAGE, type Progress, type CallUsage } from './call-usage.ts';

interface ResolvedCall {
  model: ResolvedModel;
  /** Whether the call must reserve tokens. */
  limited: boolean;
}

interface RelayCall extends ResolvedCall {
  caller: UserPrincipal;
  request: RelayRequest;
  requestId: string;
  res: Response;
  progress: Progress;
  /** Returns null if the model was not used. */
  respond: () => Promise<CallUsage | null>;
}

/** How long a shutdown waits for running calls before it aborts them. */
const DRAIN_MS = 20_000;

/** Forwards calls to the models of the space and charges them. */
@Injectable()
export class RelayService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly running = new Map<Response, Promise<void>>();
  /** Aborts when running calls are to be aborted; null unless the process is shutting down. */
  private drainTimeout: AbortSignal | null = null;

  constructor(
    private readonly catalog: CatalogService,
    private readonly ledger: RelayLedgerWorker,
    private readonly openResponses: OpenResponsesRegistry,
  ) {}

  /** Lists the models of the space in OpenAI's format. */
  async listModels(spaceId: string): Promise<object> {
    const models = await this.catalog.list(spaceId);
    return { object: 'list', data: models.map(toOpenAiModel) };
  }

  /** Responds through `res`, also with errors of the model server. Throws only before anything is sent. */
  async complete(caller: UserPrincipal, body: unknown, requestId: string, res: Response): Promise<void> {
    const { model, limited } = await this.resolve(caller, body);
    const request = parseCompletionRequest(body as JsonObject);
    const { endpoint } = model;
    const progress = createProgress();
    const respond = endpoint
      ? () => forwardCall(endpoint, request, model.upstreamModel, res, progress)
      : prepareOffline(model, request, res, progress);
    await this.run({ caller, model, limited, request, requestId, res, progress, respond });
  }

  /** Returns one model of the space in OpenAI's format. */
  async getModel(spaceId: string, name: string): Promise<object> {
    const model = (await this.catalog.list(spaceId)).find((one) => one.name === name);
    if (model === undefined) throw unknownModel(name);
    return toOpenAiModel(model);
  }

  /** Like `complete`, for the Responses API of servers that have it. */
  async respond(caller: UserPrincipal, body: unknown, requestId: string, res: Response): Promise<void> {
    const { model, limited } = await this.resolve(caller, body);
    const request = parseResponsesRequest(body as JsonObject);
    const { endpoint } = model;
    if (endpoint === null) throw noResponsesApi();
    const progress = createProgress();
    const respond = () => forwardCall(endpoint, request, model.upstreamModel, res, progress);
    await this.run({ caller, model, limited, request, requestId, res, progress, respond });
  }

  /** Like `complete`. */
  async embed(caller: UserPrincipal, body: unknown, requestId: string, res: Response): Promise<void> {
    const { model, limited } = await this.resolve(caller, body);
    const request = parseEmbeddingRequest(body as JsonObject);
    const { endpoint } = model;
    if (endpoint === null) throw invalidField('model', `${model.name} does not support embeddings`);
    const progress = createProgress();
    const respond = () => forwardCall(endpoint, request, model.upstreamModel, res, progress);
    await this.run({ caller, model, limited, request, requestId, res, progress, respond });
  }

  /** Resolves when no call is running and all calls are charged. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running.values());
    await this.ledger.drain();
  }

  /** Starts the time limit of running calls, concurrently with whatever else is drained. */
  onModuleDestroy(): void {
    this.drainTimeout = AbortSignal.timeout(DRAIN_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.drainTimeout) await untilAborted(this.drainTimeout, this.drain());
    for (const res of this.running.keys()) res.destroy();
    await this.drain();
  }

  private async resolve({ spaceId, userId }: UserPrincipal, body: unknown): Promise<ResolvedCall> {
    const name = parseModelName(body);
    const [model, limited] = await Promise.all([
      this.catalog.find(spaceId, name),
      this.ledger.isLimited(spaceId, userId),
    ]);
    // A stand-in, which agents accept, would deceive a client that names a model.
    if (model === null || model.standIn) throw unknownModel(name);
    return { model, limited };
  }

  private async run(call: RelayCall): Promise<void> {
    if (this.drainTimeout) throw unavailable('The service is shutting down; retry', { retryAfter: 5 });
    this.openResponses.watch(call.caller, call.res);
    const running = this.runAndCharge(call).finally(() => this.running.delete(call.res));
    this.running.set(call.res, running);
    await running;
  }

  private async runAndCharge(call: RelayCall): Promise<void> {
    const id = await this.begin(call);
    let usage: CallUsage | null = null;
    try {
      usage = await call.respond();
    } finally {
      this.ledger.end(id, usage && toCharge(call, usage));
    }
  }

  private begin(call: RelayCall): Promise<string> {
    const { request, model, requestId, limited, progress } = call;
    // Lazy, because it reads the entire prompt.
    let counted: number | null = null;
    const promptTokens = () => (counted ??= estimatePromptTokens(request));
    const usedSoFar = () => {
      const completionTokens = progress.completionTokens();
      const usage = { ...NO_USAGE, promptTokens: promptTokens(), completionTokens };
      return toCharge(call, { usage, estimated: true });
    };
    const maxOutputTokens = request.maxOutputTokens ?? model.maxOutputTokens;
    const tokens = limited ? tokensToReserve(promptTokens(), maxOutputTokens) : null;
    return this.ledger.begin({ tokens, reference: requestId, estimateCharge: usedSoFar });
  }
}

function toOpenAiModel({ name, createdAt }: { name: string; createdAt: Date }): object {
  return {
    id: name,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: name === OFFLINE_MODEL ? 'platform' : 'space',
  };
}

function unknownModel(name: string): AppError {
  const message = `The model ${name} does not exist in this space`;
  return new AppError('NOT_FOUND', message, { openai: { code: 'model_not_found', param: 'model' } });
}

/** Parses the request immediately: an invalid request is rejected before tokens are reserved. */
function prepareOffline(
  model: ResolvedModel,
  request: RelayRequest,
  res: Response,
  progress: Progress,
): () => Promise<CallUsage> {
  const { stream: streamed, includeUsage: usageAsked } = request;
  const read = parseModelRequest(request, model.name);
  return () =>
    respondOffline({
      provider: model.provider,
      request: read,
      res,
      stream: streamed,
      includeUsage: usageAsked,
      progress,
    });
}

function toCharge({ caller, model }: RelayCall, { usage, estimated }: CallUsage): Charge {
  const { spaceId, userId } = caller;
  const cost = costOf(usage, model.price);
  return { spaceId, userId, source: 'relay', model: model.name, ...usage, cost, estimated };
}
