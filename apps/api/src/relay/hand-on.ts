import type { Response } from 'express';
import type { OpenAiEndpoint } from '../models/openai-endpoint.ts';
import { countTokens } from '../models/tokens.ts';
import { estimateAnswer } from './answer-usage.ts';
import { answerRefusal, refusesStreamOptions } from './refusal.ts';
import { promptOf, upstreamBody, type RelayRequest } from './relay-request.ts';
import { UpstreamCall, type Answered } from './upstream-call.ts';
import { NOTHING, type Progress, type Used } from './used.ts';

/** Hands a call on and its answer back; null where the model did nothing. */
export async function handOn(
  endpoint: OpenAiEndpoint,
  request: RelayRequest,
  upstreamModel: string,
  res: Response,
  progress: Progress,
): Promise<Used | null> {
  const call = (askUsage: boolean) => {
    const body = upstreamBody(request, upstreamModel, askUsage);
    const upstream = new UpstreamCall(res, endpoint.secrets, !request.usageAsked);
    if (request.path === '/chat/completions') progress.completionTokens = () => upstream.completionTokens;
    endpoint.post(request.path, body, upstream);
    return upstream.ended;
  };
  const askUsage = !endpoint.quirks.known(Date.now()).has('no-stream-options');
  let end = await call(askUsage);
  const added = request.streamed && !request.usageAsked && askUsage;
  if (added && end.kind === 'refused' && refusesStreamOptions(end)) {
    end = await call(false);
    if (end.kind === 'answered') endpoint.quirks.remember(['no-stream-options'], Date.now());
  }
  switch (end.kind) {
    case 'unsent':
      return null;
    case 'refused':
      answerRefusal(res, end, endpoint);
      return null;
    case 'answered':
      return end.usage ? { usage: end.usage, estimated: false } : estimate(request, end);
  }
}

/** What was used where the server told nothing, or where the answer ended before it could. */
async function estimate(request: RelayRequest, { tail, streamed }: Answered): Promise<Used> {
  const { text, more } = promptOf(request);
  const promptTokens = (await countTokens(text)) + more;
  const completionTokens = await estimateAnswer(tail, streamed);
  return { usage: { ...NOTHING, promptTokens, completionTokens }, estimated: true };
}
