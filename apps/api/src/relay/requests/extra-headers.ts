import type { Request } from 'express';

/** The headers of a request that concern the server of the model; null if there are none, as almost always. */
export function extraHeaders({ headers }: Pick<Request, 'headers'>): Record<string, string> | null {
  const beta = headers['openai-beta'];
  return beta === undefined ? null : { 'OpenAI-Beta': String(beta) };
}
