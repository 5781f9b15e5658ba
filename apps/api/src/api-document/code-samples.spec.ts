import type { OpenAPIObject } from '@nestjs/swagger';
import { codeSamples } from './code-samples.ts';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const path = { name: 'agentId', in: 'path', example: 'a b', schema: { type: 'string' } } as const;
const limit = { name: 'limit', in: 'query', example: 2, schema: { type: 'integer' } } as const;

const sourcesOf = (method: string, url: string, operation: Partial<Operation>) =>
  codeSamples(method, url, { responses: {}, ...operation }).map(({ source }) => source);

describe('the code of an example', () => {
  it('is a call with a key', () => {
    const [curl, typeScript, python] = sourcesOf('get', '/api/agents/{agentId}', {
      parameters: [path, limit],
    });
    expect(curl).toBe(
      `curl 'https://platform.example/api/agents/a%20b?limit=2' \\\n  -H "Authorization: Bearer $PLATFORM_API_KEY"`,
    );
    expect(typeScript).toContain('await fetch("https://platform.example/api/agents/a%20b?limit=2", {');
    expect(typeScript).toContain('"Authorization": `Bearer ${process.env.PLATFORM_API_KEY}`');
    expect(python).toContain('"Authorization": f"Bearer {os.environ[\'PLATFORM_API_KEY\']}",');
  });

  it('quotes whatever the body has', () => {
    const value = { text: 'it\'s "$HOME"', on: true, none: null, list: [1, {}] };
    const requestBody = { content: { 'application/json': { examples: { request: { value } } } } };
    const [curl, typeScript, python] = sourcesOf('post', '/x', { requestBody, security: [] });
    expect(curl).toContain(`"text": "it'\\''s \\"$HOME\\""`);
    expect(curl).not.toContain('Authorization');
    expect(typeScript).toContain('body: JSON.stringify({');
    expect(python).toContain('"on": True');
    expect(python).toContain('"none": None');
    expect(python).toContain('"list": [\n        1,\n        {},\n      ]');
  });

  it('is none for a form', () => {
    expect(sourcesOf('post', '/x', { requestBody: { content: { 'multipart/form-data': {} } } })).toEqual([]);
  });

  it('runs', async () => {
    const [, typeScript = ''] = sourcesOf('post', '/x', {
      requestBody: { content: { 'application/json': { examples: { request: { value: { a: 1 } } } } } },
    });
    const calls: unknown[] = [];
    const answer = { status: 200, text: () => Promise.resolve('{}') };
    const fetch = (...call: unknown[]) => Promise.resolve((calls.push(call), answer));
    // The sample itself, as a function.
    const AsyncFunction = (async () => {}).constructor as new (
      ...source: string[]
    ) => (...values: unknown[]) => Promise<void>;
    await new AsyncFunction('fetch', 'console', typeScript)(fetch, { log: () => {} });
    expect(calls).toMatchObject([
      [
        'https://platform.example/x',
        { method: 'POST', body: '{"a":1}', headers: { 'Content-Type': 'application/json' } },
      ],
    ]);
  });
});
