import { expect } from '@jest/globals';
import type { Page, UsageEntry } from '@platform/contracts';
import OpenAI from 'openai';
import type { FakeOpenAiServer, FakeRequest } from '../fixtures/openai-server.ts';
import type { TestApp, TestUser } from './app.ts';

/** Of the servers behind the models. Must not be seen by a caller. */
export const UPSTREAM_KEY = 'sk-upstream-canary-93f1';

interface ModelOptions {
  as?: TestUser;
  /** Default: that of the servers of the tests. */
  apiKey?: string;
}

/** A model with a price, called `upstream-name` by its server. */
export async function addModel(
  app: TestApp,
  name: string,
  baseUrl: string,
  { as = app.admin, apiKey = UPSTREAM_KEY }: ModelOptions = {},
): Promise<void> {
  const price = { inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 1 };
  const body = { name, baseUrl, apiKey, upstreamModel: 'upstream-name', price };
  expect((await app.request('POST', '/api/models', { as, body })).status).toBe(201);
}

/** The official client, unchanged. */
export function openAiClient(app: TestApp, { apiKey }: Pick<TestUser, 'apiKey'>): OpenAI {
  return new OpenAI({ baseURL: `${app.url}/models/v1`, apiKey, maxRetries: 0 });
}

export async function failureOf(call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error as InstanceType<typeof OpenAI.APIError>;
  throw new Error(`No error of the API: ${String(error)}`);
}

/** The user's entries in the ledger, the latest first, when nothing runs any more. */
export async function entriesOf(app: TestApp, user: TestUser): Promise<UsageEntry[]> {
  await app.settle();
  const path = '/api/usage/entries?limit=200';
  return (await app.request<Page<UsageEntry>>('GET', path, { as: user })).body.items;
}

/** The last call that reached the server of a model. */
export function lastRequestOf({ requests }: FakeOpenAiServer): FakeRequest {
  const request = requests.at(-1);
  if (!request) throw new Error('The model was not called');
  return request;
}
