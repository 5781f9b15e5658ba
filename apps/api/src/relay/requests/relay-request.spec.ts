import { AppError } from '../../infra/errors/app-error.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import {
  parseModelName,
  parseCompletionRequest,
  parseEmbeddingRequest,
  parseResponsesRequest,
  estimatePromptTokens,
  formatUpstreamBody,
} from './relay-request.ts';

const messages = [{ role: 'user', content: 'Hi' }];

function refused(read: () => unknown): [code: string, param: string | undefined] {
  try {
    read();
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.openai.param];
  }
  throw new Error('It was not refused');
}

const MEDIUM = `data:image/png;base64,${'A'.repeat(1_000_000)}`;

describe('modelNameOf', () => {
  it.each([[undefined], [null], [[]], ['model']])('refuses the body %j', (body) =>
    expect(refused(() => parseModelName(body))).toEqual(['VALIDATION_ERROR', undefined]),
  );
  it.each([
    [{}],
    [{ model: '' }],
    [{ model: 5 }],
    [{ model: null }],
    [{ model: 'a\0' }],
    [{ model: '\ud800' }],
    [{ model: 'x'.repeat(201) }],
  ])('refuses %j', (body) =>
    expect(refused(() => parseModelName(body))).toEqual(['VALIDATION_ERROR', 'model']),
  );
});

it('accepts names as long as those of the catalog', () => {
  expect(parseModelName({ model: 'ü'.repeat(200) })).toHaveLength(200);
});

describe('readCompletion', () => {
  it.each<[JsonObject, string]>([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['Hi'] }, 'messages'],
    [{ messages, stream: 'true' }, 'stream'],
    [{ messages, stream_options: true }, 'stream_options'],
  ])('refuses %j', (body, param) =>
    expect(refused(() => parseCompletionRequest(body))).toEqual(['VALIDATION_ERROR', param]),
  );

  it('reads what matters and leaves the rest alone', () => {
    const body = { messages, stream: true, stream_options: { include_usage: true }, max_tokens: 7, n: 2 };
    expect(parseCompletionRequest(body)).toEqual({
      path: '/chat/completions',
      body,
      stream: true,
      includeUsage: true,
      maxOutputTokens: 7,
    });
    const nulls = { messages, stream: null, stream_options: null, max_completion_tokens: 9, max_tokens: 7 };
    expect(parseCompletionRequest(nulls)).toMatchObject({
      stream: false,
      includeUsage: false,
      maxOutputTokens: 9,
    });
    expect(parseCompletionRequest({ messages })).toMatchObject({ maxOutputTokens: null });
  });
});

describe('readEmbedding', () => {
  it.each([[{}], [{ input: [] }], [{ input: {} }]])('refuses %j', (body) =>
    expect(refused(() => parseEmbeddingRequest(body))).toEqual(['VALIDATION_ERROR', 'input']),
  );
});

describe('upstreamBody', () => {
  const written = (body: JsonObject, askUsage = true) =>
    JSON.parse(
      formatUpstreamBody(parseCompletionRequest(body), 'upstream', askUsage).toString(),
    ) as JsonObject;

  it('replaces the model alone', () => {
    const body = { model: 'ours', messages, temperature: 0.5, user: null };
    expect(written(body)).toEqual({ ...body, model: 'upstream' });
  });

  it('asks for figures in streams, beside the other options', () => {
    const stream_options = { include_obfuscation: false, include_usage: false };
    expect(written({ messages, stream: true, stream_options })).toMatchObject({
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    expect(written({ messages, stream: true }, false)).not.toHaveProperty('stream_options');
  });

  it('keeps keys that every object has', () => {
    const body = JSON.parse(
      '{"messages":[{"__proto__":{"a":1},"constructor":2}],"__proto__":3}',
    ) as JsonObject;
    expect(formatUpstreamBody(parseCompletionRequest(body), 'm', true)).toBe(
      '{"messages":[{"__proto__":{"a":1},"constructor":2}],"__proto__":3,"model":"m"}',
    );
  });
});

describe('roughPromptTokens', () => {
  it.each([
    [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: MEDIUM }] }],
    [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_data: MEDIUM }] }],
    [
      {
        type: 'computer_call_output',
        call_id: 'c',
        output: { type: 'computer_screenshot', image_url: MEDIUM },
      },
    ],
    [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'A'.repeat(1_000_000) }],
  ])('counts media inside of the item %# flat', (item) => {
    const tokens = estimatePromptTokens(parseResponsesRequest({ input: [item] }));
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThan(1_100);
  });

  it('counts text by its bytes, media and messages flat', () => {
    const content = [
      { type: 'text', text: 'x'.repeat(40) },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(9_999)}` } },
    ];
    expect(estimatePromptTokens(parseCompletionRequest({ messages: [{ role: 'user', content }] }))).toBe(
      10 + 1_000 + 4,
    );
    expect(estimatePromptTokens(parseEmbeddingRequest({ input: [1, 2, 3] }))).toBe(3);
    expect(estimatePromptTokens(parseEmbeddingRequest({ input: ['文字', '12'] }))).toBe(3);
  });
});
