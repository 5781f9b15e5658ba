import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Response } from 'express';
import { AppError } from '../infra/http/app-error.ts';
import { openAiBody } from '../infra/http/openai-error.ts';
import { ProviderError, type ModelProvider, type ModelRequest } from '../models/model-provider.ts';
import { countTokens, estimatePrompt } from '../models/tokens.ts';
import { chunkOf, firstChunk, usageChunk, WholeAnswer, type AnswerHead } from './offline-answer.ts';
import { NO_USAGE, type Progress, type CallUsage } from './call-usage.ts';

export interface OfflineCall {
  provider: ModelProvider;
  request: ModelRequest;
  res: Response;
  stream: boolean;
  includeUsage: boolean;
  progress: Progress;
}

/** Answers from a provider of ours in OpenAI's shape. */
export async function respondOffline(call: OfflineCall): Promise<CallUsage> {
  const { provider, request, res, stream: streamed } = call;
  const head: AnswerHead = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  const answer = new WholeAnswer();
  call.progress.completionTokens = () => Math.ceil(Buffer.byteLength(answer.written) / 4);
  const left = new AbortController();
  const leave = () => left.abort();
  res.once('close', leave);
  try {
    if (streamed) await stream(call, head, answer, left.signal);
    else {
      for await (const delta of provider.stream(request, left.signal)) answer.add(delta);
      res.json(answer.completion(head));
    }
  } catch (error) {
    if (!left.signal.aborted) fail(res, error);
  } finally {
    res.off('close', leave);
  }
  if (answer.usage) return { usage: answer.usage, estimated: false };
  const promptTokens = await estimatePrompt(request.messages, request.tools);
  const completionTokens = await countTokens(answer.written);
  return { usage: { ...NO_USAGE, promptTokens, completionTokens }, estimated: true };
}

async function stream(
  call: OfflineCall,
  head: AnswerHead,
  answer: WholeAnswer,
  left: AbortSignal,
): Promise<void> {
  const { res } = call;
  const write = async (data: object) => {
    if (!res.headersSent) {
      res.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      });
      res.write(eventOf(firstChunk(head)));
    }
    if (!res.write(eventOf(data))) await once(res, 'drain', { signal: left });
  };
  for await (const delta of call.provider.stream(call.request, left)) {
    answer.add(delta);
    const chunk = chunkOf(head, delta);
    if (chunk) await write(chunk);
  }
  if (call.includeUsage && answer.usage) await write(usageChunk(head, answer.usage));
  res.end('data: [DONE]\n\n');
}

/** Before the first byte an error is a status; later it is the last event, which clients throw. */
function fail(res: Response, error: unknown): void {
  const told =
    error instanceof ProviderError ? new AppError('UNAVAILABLE', error.message, { cause: error }) : error;
  if (!res.headersSent || !(told instanceof AppError)) throw told;
  res.end(eventOf(openAiBody(told)));
}

const eventOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
