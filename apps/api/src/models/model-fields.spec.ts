import { describe, expect, it } from '@jest/globals';
import {
  baseUrlProblem,
  changedModel,
  demandsApiKey,
  dropsApiKey,
  modelProblems,
  newModel,
} from './model-fields.ts';

const request = { name: 'm', baseUrl: 'https://models.example/v1' };

describe('newModel', () => {
  it('fills in the defaults', () => {
    expect(newModel(request)).toEqual({
      name: 'm',
      provider: 'openai-compatible',
      baseUrl: 'https://models.example/v1',
      upstreamModel: null,
      contextWindow: 128_000,
      maxOutputTokens: 4096,
      price: { inputPerMillion: null, outputPerMillion: null, cachedInputPerMillion: null },
      capabilities: { images: true, audio: false, files: true, tools: true },
    });
  });

  it('keeps the default output within a small window', () => {
    expect(newModel({ ...request, contextWindow: 2048 }).maxOutputTokens).toBe(2048);
  });
});

describe('changedModel', () => {
  it('replaces a given field whole and keeps the others', () => {
    const before = newModel({
      ...request,
      price: { inputPerMillion: 1, outputPerMillion: 2 },
      capabilities: { audio: true, tools: false },
    });
    expect(changedModel(before, { price: { outputPerMillion: 3 } })).toEqual({
      ...before,
      price: { inputPerMillion: null, outputPerMillion: 3, cachedInputPerMillion: null },
    });
    expect(changedModel(before, { capabilities: { images: false } }).capabilities).toEqual({
      images: false,
      audio: false,
      files: true,
      tools: true,
    });
  });

  it('forgets the address when the model becomes an offline one', () => {
    expect(changedModel(newModel(request), { provider: 'offline' }).baseUrl).toBeNull();
  });
});

describe('modelProblems', () => {
  it('wants an address exactly where there is a server', () => {
    expect(modelProblems(newModel(request))).toEqual([]);
    expect(modelProblems(newModel({ name: 'm' }))).toEqual([
      'baseUrl is required for an openai-compatible model',
    ]);
    expect(modelProblems(newModel({ name: 'm', provider: 'offline' }))).toEqual([]);
    expect(modelProblems(newModel({ ...request, provider: 'offline' }))).toEqual([
      'baseUrl has no use for an offline model',
    ]);
    expect(modelProblems(newModel({ name: 'm', provider: 'offline' }), 'key')).toEqual([
      'apiKey has no use for an offline model',
    ]);
  });

  it('keeps the output within the window', () => {
    expect(modelProblems(newModel({ ...request, contextWindow: 100, maxOutputTokens: 100 }))).toEqual([]);
    expect(modelProblems(newModel({ ...request, contextWindow: 100, maxOutputTokens: 101 }))).toEqual([
      'maxOutputTokens must be at most the contextWindow, 100',
    ]);
  });
});

describe('demandsApiKey', () => {
  const keyed = { ...newModel(request), apiKeyConfigured: true };
  const moved = { baseUrl: 'https://elsewhere.example/v1' };

  it('is asked for where a stored key would travel to a new address', () => {
    expect(demandsApiKey(keyed, moved)).toBe(true);
    expect(demandsApiKey(keyed, { ...moved, apiKey: 'k' })).toBe(false);
    expect(demandsApiKey(keyed, { ...moved, apiKey: '' })).toBe(false);
    expect(demandsApiKey(keyed, { baseUrl: request.baseUrl })).toBe(false);
    expect(demandsApiKey(keyed, { contextWindow: 5 })).toBe(false);
    expect(demandsApiKey({ ...keyed, apiKeyConfigured: false }, moved)).toBe(false);
  });
});

describe('dropsApiKey', () => {
  it('takes the key away on an empty one and from an offline model', () => {
    expect(dropsApiKey(newModel(request), { apiKey: '' })).toBe(true);
    expect(dropsApiKey(newModel({ name: 'm', provider: 'offline' }), {})).toBe(true);
    expect(dropsApiKey(newModel(request), {})).toBe(false);
    expect(dropsApiKey(newModel(request), { apiKey: 'k' })).toBe(false);
  });
});

describe('baseUrlProblem', () => {
  it.each(['http://127.0.0.1:8080', 'https://api.example/v1', 'https://api.example/v1/'])(
    'takes %s',
    (url) => {
      expect(baseUrlProblem(url)).toBeNull();
    },
  );

  it.each([
    ['ftp://x', 'must be an http or https address'],
    ['file:///etc/passwd', 'must be an http or https address'],
    ['api.example', 'must be an http or https address'],
    ['', 'must be an http or https address'],
    [7, 'must be an http or https address'],
    ['https://me:pw@x', 'must not carry credentials: use apiKey'],
    ['https://x/v1?a=1', 'must not have a query or a fragment'],
    ['https://x/#', 'must not have a query or a fragment'],
  ])('refuses %s', (url, problem) => {
    expect(baseUrlProblem(url)).toBe(problem);
  });
});
