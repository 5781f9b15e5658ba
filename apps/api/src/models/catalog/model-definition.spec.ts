import { describe, expect, it } from '@jest/globals';
import {
  baseUrlProblem,
  changeDefinition,
  requiresApiKey,
  removesApiKey,
  definitionProblems,
  newDefinition,
} from './model-definition.ts';

const request = { name: 'm', baseUrl: 'https://models.example/v1' };

describe('newDefinition', () => {
  it('fills in the defaults', () => {
    expect(newDefinition(request)).toEqual({
      name: 'm',
      kind: 'chat',
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
    expect(newDefinition({ ...request, contextWindow: 2048 }).maxOutputTokens).toBe(2048);
  });
});

describe('changeDefinition', () => {
  it('replaces a given field completely and keeps the others', () => {
    const before = newDefinition({
      ...request,
      price: { inputPerMillion: 1, outputPerMillion: 2 },
      capabilities: { audio: true, tools: false },
    });
    expect(changeDefinition(before, { price: { outputPerMillion: 3 } })).toEqual({
      ...before,
      price: { inputPerMillion: null, outputPerMillion: 3, cachedInputPerMillion: null },
    });
    expect(changeDefinition(before, { capabilities: { images: false } }).capabilities).toEqual({
      images: false,
      audio: false,
      files: true,
      tools: true,
    });
  });

  it('forgets the address when the model becomes an offline one', () => {
    expect(changeDefinition(newDefinition(request), { provider: 'offline' }).baseUrl).toBeNull();
  });
});

describe('definitionProblems', () => {
  it('wants an address exactly where there is a server', () => {
    expect(definitionProblems(newDefinition(request))).toEqual([]);
    expect(definitionProblems(newDefinition({ name: 'm' }))).toEqual([
      'baseUrl is required for an openai-compatible model',
    ]);
    expect(definitionProblems(newDefinition({ name: 'm', provider: 'offline' }))).toEqual([]);
    expect(definitionProblems(newDefinition({ ...request, provider: 'offline' }))).toEqual([
      'baseUrl has no use for an offline model',
    ]);
    expect(definitionProblems(newDefinition({ name: 'm', provider: 'offline' }), 'key')).toEqual([
      'apiKey has no use for an offline model',
    ]);
  });

  it('keeps the output within the window', () => {
    expect(
      definitionProblems(newDefinition({ ...request, contextWindow: 100, maxOutputTokens: 100 })),
    ).toEqual([]);
    expect(
      definitionProblems(newDefinition({ ...request, contextWindow: 100, maxOutputTokens: 101 })),
    ).toEqual(['maxOutputTokens must be at most the contextWindow, 100']);
  });
});

describe('requiresApiKey', () => {
  const keyed = { ...newDefinition(request), apiKeyConfigured: true };
  const moved = { baseUrl: 'https://elsewhere.example/v1' };

  it('is asked for where a stored key would travel to a new address', () => {
    expect(requiresApiKey(keyed, moved)).toBe(true);
    expect(requiresApiKey(keyed, { ...moved, apiKey: 'k' })).toBe(false);
    expect(requiresApiKey(keyed, { ...moved, apiKey: '' })).toBe(false);
    expect(requiresApiKey(keyed, { baseUrl: request.baseUrl })).toBe(false);
    expect(requiresApiKey(keyed, { contextWindow: 5 })).toBe(false);
    expect(requiresApiKey({ ...keyed, apiKeyConfigured: false }, moved)).toBe(false);
  });
});

describe('removesApiKey', () => {
  it('takes the key away on an empty one and from an offline model', () => {
    expect(removesApiKey(newDefinition(request), { apiKey: '' })).toBe(true);
    expect(removesApiKey(newDefinition({ name: 'm', provider: 'offline' }), {})).toBe(true);
    expect(removesApiKey(newDefinition(request), {})).toBe(false);
    expect(removesApiKey(newDefinition(request), { apiKey: 'k' })).toBe(false);
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
