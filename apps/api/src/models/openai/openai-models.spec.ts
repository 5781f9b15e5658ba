import { Agent } from 'undici';
import { openAiProvider } from '../../../e2e/fixtures/openai-provider.ts';
import { startOpenAiServer, type FakeServerOptions } from '../../../e2e/fixtures/openai-server.ts';
import { MAX_OFFERED_MODELS, ProviderError } from '../port/model-provider.ts';
import { Secrets } from '../port/secrets.ts';
import { readModels } from './openai-models.ts';
import { OpenAiServer } from './openai-server.ts';

const NONE = Secrets.of(null);

describe('the list of models', () => {
  it('has the names in the order of the server, each once, with or without an object around it', () => {
    const data = [{ id: 'b', object: 'model' }, { id: 'a' }, { id: 'b' }];
    const list = { names: ['b', 'a'], isComplete: true };
    expect(readModels({ object: 'list', data }, NONE)).toEqual(list);
    expect(readModels(data, NONE)).toEqual(list);
    expect(readModels({ data, has_more: true }, NONE)).toEqual({ ...list, isComplete: false });
    expect(readModels({ data: [] }, NONE)).toEqual({ names: [], isComplete: true });
  });

  it('leaves out what cannot be a name, and what repeats the key', () => {
    const ids: unknown[] = [
      '',
      ' ',
      7,
      null,
      undefined,
      {},
      'x'.repeat(201),
      'a\0b',
      '\ud800',
      'of sk-canary-1',
    ];
    const data = [...ids.map((id) => ({ id })), null, 'text', [], { id: 'kept' }];
    expect(readModels({ data }, Secrets.of('sk-canary-1'))).toEqual({ names: ['kept'], isComplete: true });
  });

  it('ends at the most that it can have', () => {
    const data = Array.from({ length: MAX_OFFERED_MODELS + 1 }, (_, i) => ({ id: `m${i}` }));
    const { names, isComplete } = readModels({ data }, NONE);
    expect([names.length, isComplete]).toEqual([MAX_OFFERED_MODELS, false]);
    expect(readModels({ data: [...data.slice(1), { id: 'm1' }] }, NONE).isComplete).toBe(true);
  });

  const LISTED = { data: [{ id: 'a', description: 'x'.repeat(5 * 1024 * 1024) }] };
  const NO_LIST = /^The model's server did not send a list of models: check the base URL\.$/;
  const FAILURES: [string, FakeServerOptions, RegExp][] = [
    ['refuses the key', { apiKey: 'another' }, /refused the credentials \(HTTP 401\)\.$/],
    ['has no such route', { models: () => ({ kind: 'status', status: 404 }) }, /no list .* \(HTTP 404\)\.$/],
    ['does not allow it', { models: () => ({ kind: 'status', status: 405 }) }, /no list .* \(HTTP 405\)\.$/],
    ['is redirected', { models: () => ({ kind: 'status', status: 302, location: '/x' }) }, /\(HTTP 302\)\.$/],
    ['fails', { models: () => ({ kind: 'status', status: 503 }) }, /failed \(HTTP 503\)\.$/],
    ['sends a page', { models: () => ({ kind: 'page', html: '<!doctype html>' }) }, NO_LIST],
    ['sends something else', { models: () => ({ kind: 'json', body: { models: ['a'] } }) }, NO_LIST],
    ['sends too much', { models: () => ({ kind: 'json', body: LISTED }) }, NO_LIST],
    ['breaks off', { models: () => ({ kind: 'cut' }) }, /could not be reached or broke the connection\.$/],
  ];
  it.each(FAILURES)('is a sentence without key and address if the server %s', async (_, options, words) => {
    const server = await startOpenAiServer(options);
    try {
      const provider = openAiProvider(server.url, 'sk-canary-1');
      const error = await provider
        .listModels(new AbortController().signal)
        .catch((thrown: unknown) => thrown);
      if (!(error instanceof ProviderError)) throw new Error('expected a ProviderError');
      expect(error.message).toMatch(words);
      expect(error.message).not.toMatch(/127\.0\.0\.1|sk-|https?:/);
      expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
    } finally {
      await server.close();
    }
  });

  it('is requested from Anthropic as its own API wants it', () => {
    const dispatcher = new Agent();
    const at = (baseUrl: string) => new OpenAiServer({ baseUrl, apiKey: 'sk-ant-1', dispatcher }).models();
    const { path, headers } = at('https://api.anthropic.com/v1/');
    expect(path).toBe('/v1/models?limit=1000');
    expect(headers).toMatchObject({ 'X-Api-Key': 'sk-ant-1', 'Anthropic-Version': '2023-06-01' });
    expect(headers).not.toHaveProperty('Authorization');
    const other = at('https://models.example/v1');
    expect([other.path, other.headers]).toEqual([
      '/v1/models',
      expect.objectContaining({ Authorization: 'Bearer sk-ant-1' }),
    ]);
  });
});
