import type { ToolMethodRequest } from '@platform/contracts';
import { importDocument, toMethodRequest } from '@platform/openapi-import';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostileDocuments } from './fixtures/api-documents.ts';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

/** Real documents of other parties. They are not part of the repository. */
const folder = process.env.OPENAPI_CORPUS ?? join(import.meta.dirname, '../../../../shared/openapi-corpus');
const files = existsSync(folder)
  ? readdirSync(folder).filter((name) => /^(?!neg-).*\.(?:json|ya?ml)$/.test(name))
  : [];
if (files.length === 0)
  console.warn('The documents of the corpus are not stored: set OPENAPI_CORPUS to their folder');

/** Below the limit of a request. */
const MAX_BATCH = 3_000_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** Imports a document, and returns what was not stored as it is, with the number of its methods. */
async function store(name: string, text: string): Promise<{ methods: number; refused: string[] }> {
  const { methods } = await importDocument({ text });
  const requests = methods.map(toMethodRequest);
  const refused: string[] = [];
  for (const [i, batch] of batchesOf(requests).entries()) {
    const tool = { name: `${name} ${i}`, serverUrl: 'https://api.example.com', methods: batch };
    try {
      const stored = await app.client().tools.create(tool);
      const byName = new Map(stored.methods.map((method) => [method.name, method]));
      for (const method of batch) expect(byName.get(method.name)).toMatchObject({ ...method });
    } catch (error) {
      refused.push(`${name}: ${String(error).slice(0, 500)}`);
    }
  }
  return { methods: methods.length, refused };
}

function batchesOf(requests: readonly ToolMethodRequest[]): ToolMethodRequest[][] {
  const batches: ToolMethodRequest[][] = [[]];
  let length = 0;
  for (const request of requests) {
    length += JSON.stringify(request).length;
    if (length > MAX_BATCH) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(request);
  }
  return batches;
}

describe('methods of imported documents', () => {
  verifies('http-tools.import', 'are stored, whatever the document is', async () => {
    const stored = [];
    for (const [name, document] of Object.entries(hostileDocuments()))
      stored.push({ name, ...(await store(name, JSON.stringify(document))) });
    expect(stored.flatMap(({ refused }) => refused)).toEqual([]);
    for (const { methods } of stored) expect(methods).toBeGreaterThan(0);
  });

  (files.length === 0 ? it.skip : it)('are stored, of every document of the corpus', async () => {
    let methods = 0;
    const refused: string[] = [];
    for (const file of files) {
      const stored = await store(file, readFileSync(join(folder, file), 'utf8'));
      methods += stored.methods;
      refused.push(...stored.refused);
    }
    expect(refused).toEqual([]);
    expect(methods).toBeGreaterThan(500);
  });
});
