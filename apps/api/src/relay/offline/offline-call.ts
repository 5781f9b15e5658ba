import { once } from 'node:events';
import type { Response } from 'express';
import { AppError } from '../../infra/errors/app-error.ts';
import { ProviderError, type ModelProvider, type ModelRequest } from '../../models/port/model-provider.ts';
import { countTokens, estimatePrompt } from '../../models/port/tokens.ts';
import { invalidField, type RelayRequest } from '../requests/relay-request.ts';
import { NO_USAGE, type CallUsage, type Progress } from '../upstream/call-usage.ts';
import { CollectedResponse } from './collected-response.ts';
import { CompletionFormat } from './completion-format.ts';
import { parseModelRequest } from './completion-request.ts';
import { formatEmbeddings, parseTexts } from './offline-embeddings.ts';
import type { ResponseFormat } from './response-format.ts';
import { ResponsesFormat } from './responses-format.ts';
import { parseResponsesModelRequest } from './responses-request.ts';

export interface OfflineCall {
  provider: ModelProvider;
  /** The name of the model. */
  model: string;
  request: RelayRequest;
  res: Response;
  progress: Progress;
}

/** Parses the request immediately, like the functions below: what is invalid is rejected before tokens are reserved. */
export function prepareCompletion(call: OfflineCall): () => Promise<CallUsage> {
  const { request, model } = call;
  const asked = parseModelRequest(request, model);
  return () =>
    respond(call, asked, (response) => new CompletionFormat(model, request.includeUsage, response));
}

export function prepareResponse(call: OfflineCall): () => Promise<CallUsage> {
  const { request, model } = call;
  const asked = parseResponsesModelRequest(request, model);
  return () => respond(call, asked, (response) => new ResponsesFormat(model, request.body, response));
}

export function prepareEmbeddings(call: OfflineCall): () => Promise<CallUsage> {
  const { provider, request, model, res } = call;
  const { format, ...texts } = parseTexts(request.body);
  return () =>
    untilDisconnected(res, async (signal) => {
      const { vectors, promptTokens } = await provider.embed({ model, ...texts }, signal);
      const usage = { ...NO_USAGE, promptTokens: promptTokens ?? 0 };
      res.json(formatEmbeddings(model, vectors, format, usage.promptTokens));
      return { usage, estimated: false };
    });
}

export function prepareAudio({ model }: OfflineCall): never {
  throw invalidField('model', `${model} neither hears nor speaks: add a model that does`);
}

async function respond(
  call: OfflineCall,
  asked: ModelRequest,
  formatOf: (response: CollectedResponse) => ResponseFormat,
): Promise<CallUsage> {
  const { provider, request, res, progress } = call;
  const response = new CollectedResponse();
  const format = formatOf(response);
  progress.completionTokens = () => Math.ceil(Buffer.byteLength(response.written) / 4);
  await untilDisconnected(res, async (signal) => {
    try {
      if (request.stream) await stream(provider, asked, res, response, format, signal);
      else {
        for await (const delta of provider.stream(asked, signal)) response.add(delta);
        res.json(format.whole());
      }
    } catch (error) {
      if (!signal.aborted) fail(res, error, format);
    }
  });
  if (response.usage) return { usage: response.usage, estimated: false };
  const promptTokens = await estimatePrompt(asked.messages, asked.tools);
  const completionTokens = await countTokens(response.written);
  return { usage: { ...NO_USAGE, promptTokens, completionTokens }, estimated: true };
}

async function stream(
  provider: ModelProvider,
  asked: ModelRequest,
  res: Response,
  response: CollectedResponse,
  format: ResponseFormat,
  signal: AbortSignal,
): Promise<void> {
  for await (const delta of provider.stream(asked, signal)) {
    response.add(delta);
    if (!res.headersSent) {
      res.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      });
      res.write(format.open());
    }
    const events = format.add(delta);
    if (events !== '' && !res.write(events)) await once(res, 'drain', { signal });
  }
  res.end(format.close());
}

/** Passes a signal that is aborted when the caller disconnects. */
async function untilDisconnected<T>(res: Response, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  res.once('close', abort);
  try {
    return await work(disconnected.signal);
  } catch (error) {
    throw error instanceof ProviderError ? toAppError(error) : error;
  } finally {
    res.off('close', abort);
  }
}

/** Before the first byte an error is a status; after it, the last event. */
function fail(res: Response, error: unknown, format: ResponseFormat): void {
  const cause = error instanceof ProviderError ? toAppError(error) : error;
  if (!res.headersSent || !(cause instanceof AppError)) throw cause;
  res.end(format.fail(cause));
}

function toAppError(error: ProviderError): AppError {
  const code = error.code === 'refused' ? 'VALIDATION_ERROR' : 'UNAVAILABLE';
  return new AppError(code, error.message, { cause: error });
}
