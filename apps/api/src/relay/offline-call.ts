import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Response } from 'express';
import { AppError } from '../infra/errors/app-error.ts';
import { openAiBody } from '../infra/errors/openai-error.ts';
import { ProviderError, type ModelProvider, type ModelRequest } from '../models/port/model-provider.ts';
import { countTokens, estimatePrompt } from '../models/port/tokens.ts';
import {
  formatChunk,
  formatFirstChunk,
  formatUsageChunk,
  CollectedResponse,
  type ResponseHead,
} from './offline-response.ts';
import { NO_USAGE, type Progress, type CallUsage } from './call-usage.ts';

export interface OfflineCall {
  provider: ModelProvider;
  request: ModelRequest;
  res: Response;
  stream: boolean;
  includeUsage: boolean;
  progress: Progress;
}

/** Responds with the output of a built-in provider in OpenAI's format. */
export async function respondOffline(call: OfflineCall): Promise<CallUsage> {
  const { provider, request, res, stream } = call;
  const head: ResponseHead = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  const response = new CollectedResponse();
  call.progress.completionTokens = () => Math.ceil(Buffer.byteLength(response.written) / 4);
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  res.once('close', abort);
  try {
    if (stream) await streamChunks(call, head, response, disconnected.signal);
    else {
      for await (const delta of provider.stream(request, disconnected.signal)) response.add(delta);
      res.json(response.completion(head));
    }
  } catch (error) {
    if (!disconnected.signal.aborted) fail(res, error);
  } finally {
    res.off('close', abort);
  }
  if (response.usage) return { usage: response.usage, estimated: false };
  const promptTokens = await estimatePrompt(request.messages, request.tools);
  const completionTokens = await countTokens(response.written);
  return { usage: { ...NO_USAGE, promptTokens, completionTokens }, estimated: true };
}

async function streamChunks(
  call: OfflineCall,
  head: ResponseHead,
  response: CollectedResponse,
  disconnected: AbortSignal,
): Promise<void> {
  const { res } = call;
  const write = async (data: object) => {
    if (!res.headersSent) {
      res.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      });
      res.write(formatEvent(formatFirstChunk(head)));
    }
    if (!res.write(formatEvent(data))) await once(res, 'drain', { signal: disconnected });
  };
  for await (const delta of call.provider.stream(call.request, disconnected)) {
    response.add(delta);
    const chunk = formatChunk(head, delta);
    if (chunk) await write(chunk);
  }
  if (call.includeUsage && response.usage) await write(formatUsageChunk(head, response.usage));
  res.end('data: [DONE]\n\n');
}

/** Before the first byte an error is a status; after it, the last event, which clients throw. */
function fail(res: Response, error: unknown): void {
  const cause =
    error instanceof ProviderError ? new AppError('UNAVAILABLE', error.message, { cause: error }) : error;
  if (!res.headersSent || !(cause instanceof AppError)) throw cause;
  res.end(formatEvent(openAiBody(cause)));
}

const formatEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
