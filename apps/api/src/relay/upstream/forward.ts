import type { Response } from 'express';
import type { Dispatcher } from 'undici';
import type { OpenAiEndpoint } from '../../models/openai/openai-endpoint.ts';
import type { ExtraHeaders } from '../../models/openai/openai-server.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { estimateCompletionTokens } from './response-usage.ts';
import { forwardError, isUnknownPath, noResponsesApi, rejectsStreamOptions } from './upstream-error.ts';
import { collectPrompt, formatUpstreamBody, type RelayRequest } from '../requests/relay-request.ts';
import { UpstreamCall, type CompletedCall } from './upstream-call.ts';
import { NO_USAGE, type Progress, type CallUsage } from './call-usage.ts';

/** Wraps the handler of a call, to see its response. */
export type Observe = (call: UpstreamCall) => Dispatcher.DispatchHandler;

export interface ForwardedCall {
  endpoint: OpenAiEndpoint;
  request: RelayRequest;
  upstreamModel: string;
  headers: ExtraHeaders;
  res: Response;
  progress: Progress;
  observe: Observe | null;
}

/** Forwards a call to the model server, and the response to the caller. Returns null if the model was not used. */
export async function forwardCall(forwarded: ForwardedCall): Promise<CallUsage | null> {
  const { endpoint, request, upstreamModel, headers, res, progress, observe } = forwarded;
  const call = (requestUsage: boolean) => {
    const body = formatUpstreamBody(request, upstreamModel, requestUsage);
    const upstream = new UpstreamCall(res, endpoint.secrets, !request.includeUsage, endpoint.limits);
    if (writesText(request)) progress.completionTokens = () => upstream.completionTokens;
    const { encoded } = request;
    const sent = encoded === undefined ? headers : { ...headers, 'Content-Type': encoded.contentType };
    endpoint.post(request.path, body, sent, observe === null ? upstream : observe(upstream));
    return upstream.result;
  };
  const requestUsage = !endpoint.quirks.known(Date.now()).has('no-stream-options');
  let outcome = await call(requestUsage);
  const wasAdded = request.stream && !request.includeUsage && requestUsage;
  if (wasAdded && outcome.kind === 'rejected' && rejectsStreamOptions(outcome)) {
    outcome = await call(false);
    if (outcome.kind === 'completed') endpoint.quirks.remember(['no-stream-options'], Date.now());
  }
  switch (outcome.kind) {
    case 'unsent':
      return null;
    case 'rejected':
      if (request.path === '/responses' && isUnknownPath(outcome)) throw noResponsesApi();
      forwardError(res, outcome, endpoint);
      return null;
    case 'completed':
      return outcome.usage ? { usage: outcome.usage, estimated: false } : estimateUsage(request, outcome);
  }
}

/** Whether the response is text of the model: neither vectors nor a recording. */
const writesText = ({ path }: RelayRequest) => path !== '/embeddings' && path !== '/audio/speech';

/** Estimates the usage if the server reported none, or if the response ended before it could. */
async function estimateUsage(request: RelayRequest, { tail, streamed }: CompletedCall): Promise<CallUsage> {
  const { text, otherTokens } = collectPrompt(request);
  const promptTokens = (await countTokens(text)) + otherTokens;
  const completionTokens = writesText(request) ? await estimateCompletionTokens(tail, streamed) : 0;
  return { usage: { ...NO_USAGE, promptTokens, completionTokens }, estimated: true };
}
