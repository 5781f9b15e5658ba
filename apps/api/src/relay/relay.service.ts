import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { OFFLINE_MODEL } from '@platform/contracts';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../auth/credentials/open-responses.registry.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { AppError, unavailable } from '../infra/errors/app-error.ts';
import type { JsonObject } from '../infra/runtime/json.ts';
import { untilAborted } from '../infra/runtime/until-aborted.ts';
import { CatalogService, type ResolvedModel } from '../models/catalog/catalog.service.ts';
import { costOf } from '../models/pricing/price.ts';
import { tokensToReserve, type Charge } from '../usage/charge.ts';
import {
  prepareAudio,
  prepareCompletion,
  prepareEmbeddings,
  prepareResponse,
  type OfflineCall,
} from './offline/offline-call.ts';
import { RelayLedgerWorker } from './relay-ledger.worker.ts';
import { parseSpeechRequest, parseTranscription, readTranscriptionForm } from './requests/audio-request.ts';
import { extraHeaders } from './requests/extra-headers.ts';
import {
  estimatePromptTokens,
  parseCompletionRequest,
  parseEmbeddingRequest,
  parseModelName,
  parseResponsesRequest,
  type RelayRequest,
} from './requests/relay-request.ts';
import { RecordedCall } from './stored/recorded-call.ts';
import { StoredResponsesService } from './stored/stored-responses.service.ts';
import { createProgress, NO_USAGE, type CallUsage, type Progress } from './upstream/call-usage.ts';
import { forwardCall, type Observe } from './upstream/forward.ts';

interface ResolvedCall {
  model: ResolvedModel;
  /** Whether the call must reserve tokens. */
  limited: boolean;
}

/** Who calls, and the connection. */
export interface RelayContext {
  caller: UserPrincipal;
  req: Request;
  res: Response;
}

interface RelayCall extends ResolvedCall, RelayContext {
  request: RelayRequest;
  progress: Progress;
  /** Returns null if the model was not used. */
  respond: () => Promise<CallUsage | null>;
}

/** Prepares the response of a built-in model. Throws 400 for what it cannot do, before tokens are reserved. */
type PrepareOffline = (call: OfflineCall) => () => Promise<CallUsage>;

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
    private readonly stored: StoredResponsesService,
  ) {}

  /** Lists the models of the space in OpenAI's format. */
  async listModels(spaceId: string): Promise<object> {
    const models = await this.catalog.list(spaceId);
    return { object: 'list', data: models.map(toOpenAiModel) };
  }

  /** Responds through `res`, also with errors of the model server. Throws only before anything is sent. */
  async complete(context: RelayContext, body: unknown): Promise<void> {
    const resolved = await this.resolve(context.caller, parseModelName(body));
    await this.call(context, resolved, parseCompletionRequest(body as JsonObject), prepareCompletion);
  }

  /** Returns one model of the space in OpenAI's format. */
  async getModel(spaceId: string, name: string): Promise<object> {
    const model = (await this.catalog.list(spaceId)).find((one) => one.name === name);
    if (model === undefined) throw unknownModel(name);
    return toOpenAiModel(model);
  }

  /** Like `complete`, for the Responses API of servers that have it. */
  async respond(context: RelayContext, body: unknown): Promise<void> {
    const { caller } = context;
    const resolved = await this.resolve(caller, parseModelName(body));
    const request = parseResponsesRequest(body as JsonObject);
    const { name, endpoint } = resolved.model;
    let observe: Observe | null = null;
    if (endpoint) {
      await this.stored.assertOwned(caller, request.body, endpoint);
      const place = { model: name, server: endpoint.serverId };
      const record = (ids: string[]) => this.stored.record(caller, ids, place);
      if (request.body.store !== false) observe = (call) => new RecordedCall(call, record);
    }
    await this.call(context, resolved, request, prepareResponse, observe);
  }

  /** Like `complete`. */
  async embed(context: RelayContext, body: unknown): Promise<void> {
    const resolved = await this.resolve(context.caller, parseModelName(body));
    await this.call(context, resolved, parseEmbeddingRequest(body as JsonObject), prepareEmbeddings);
  }

  /** Like `complete`: a form with a recording. */
  async transcribe(context: RelayContext, body: unknown): Promise<void> {
    const { model, form } = await readTranscriptionForm(body, context.req.headers['content-type'] ?? '');
    const resolved = await this.resolve(context.caller, model);
    const request = await parseTranscription(form, resolved.model.upstreamModel);
    await this.call(context, resolved, request, prepareAudio);
  }

  /** Like `complete`: the response is a recording. */
  async speak(context: RelayContext, body: unknown): Promise<void> {
    const resolved = await this.resolve(context.caller, parseModelName(body));
    await this.call(context, resolved, parseSpeechRequest(body as JsonObject), prepareAudio);
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

  private async resolve({ spaceId, userId }: UserPrincipal, name: string): Promise<ResolvedCall> {
    const [model, limited] = await Promise.all([
      this.catalog.find(spaceId, name),
      this.ledger.isLimited(spaceId, userId),
    ]);
    // A stand-in, which agents accept, would deceive a client that names a model.
    if (model === null || model.standIn) throw unknownModel(name);
    return { model, limited };
  }

  private async call(
    context: RelayContext,
    resolved: ResolvedCall,
    request: RelayRequest,
    prepareOffline: PrepareOffline,
    observe: Observe | null = null,
  ): Promise<void> {
    const { model, limited } = resolved;
    const { caller, req, res } = context;
    const { endpoint, upstreamModel, provider } = model;
    const progress = createProgress();
    const headers = extraHeaders(req);
    const respond = endpoint
      ? () => forwardCall({ endpoint, request, upstreamModel, headers, res, progress, observe })
      : prepareOffline({ provider, model: model.name, request, res, progress });
    await this.run({ caller, req, res, model, limited, request, progress, respond });
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
    const { request, model, req, limited, progress } = call;
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
    return this.ledger.begin({ tokens, reference: req.requestId, estimateCharge: usedSoFar });
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

function toCharge({ caller, model }: RelayCall, { usage, estimated }: CallUsage): Charge {
  const { spaceId, userId } = caller;
  const cost = costOf(usage, model.price);
  return { spaceId, userId, source: 'relay', model: model.name, ...usage, cost, estimated };
}
