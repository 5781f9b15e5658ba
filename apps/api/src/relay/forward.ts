import type { Response } from 'express';
import type { OpenAiEndpoint } from '../models/openai-endpoint.ts';
import { countTokens } from '../models/tokens.ts';
import { estimateCompletionTokens } from './answer-usage.ts';
import { forwardError, rejectsStreamOptions } from './upstream-error.ts';
import { collectPrompt, formatUpstreamBody, type RelayRequest } from './relay-request.ts';
import { UpstreamCall, type CompletedCall } from './upstream-call.ts';
import { NO_USAGE, type Progress, type CallUsage } from './call-usage.ts';

/** Hands a call on and its answer back; null where the model did nothing. */
export async function forwardCall(
  endpoint: OpenAiEndpoint,
  request: RelayRequest,
  upstreamModel: string,
  res: Response,
  progress: Progress,
): Promise<CallUsage | null> {
  const call = (askUsage: boolean) => {
    const body = formatUpstreamBody(request, upstreamModel, askUsage);
    const upstream = new UpstreamCall(res, endpoint.secrets, !request.includeUsage);
    if (request.path === '/chat/completions') progress.completionTokens = () => upstream.completionTokens;
    endpoint.post(request.path, body, upstream);
    return upstream.result;
  };
  const askUsage = !endpoint.quirks.known(Date.now()).has('no-stream-options');
  let end = await call(askUsage);
  const added = request.stream && !request.includeUsage && askUsage;
  if (added && end.kind === 'refused' && rejectsStreamOptions(end)) {
    end = await call(false);
    if (end.kind === 'answered') endpoint.quirks.remember(['no-stream-options'], Date.now());
  }
  switch (end.kind) {
    case 'unsent':
      return null;
    case 'refused':
      forwardError(res, end, endpoint);
      return null;
    case 'answered':
      return end.usage ? { usage: end.usage, estimated: false } : estimateUsage(request, end);
  }
}

/** What was used where the server told nothing, or where the answer ended before it could. */
async function estimateUsage(request: RelayRequest, { tail, streamed }: CompletedCall): Promise<CallUsage> {
  const { text, more } = collectPrompt(request);
  const promptTokens = (await countTokens(text)) + more;
  const completionTokens = await estimateCompletionTokens(tail, streamed);
  return { usage: { ...NO_USAGE, promptTokens, completionTokens }, estimated: true };
}
