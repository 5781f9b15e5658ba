import { PlatformClient } from './client.ts';

interface Sent {
  method: string | undefined;
  path: string;
  contentType: string | null;
  body: unknown;
}

/** A client whose requests are kept, and answered with `{}`. */
function recorded(): { client: PlatformClient; sent: Sent[] } {
  const sent: Sent[] = [];
  const client = new PlatformClient({
    baseUrl: 'https://platform.example',
    apiKey: 'pk_test',
    fetch: (input, init) => {
      const { body } = init ?? {};
      sent.push({
        method: init?.method,
        path: (input as string).replace('https://platform.example', ''),
        contentType: new Headers(init?.headers).get('Content-Type'),
        body: typeof body === 'string' ? (JSON.parse(body) as unknown) : body,
      });
      return Promise.resolve(Response.json({}));
    },
  });
  return { client, sent };
}

describe('documents', () => {
  it('are sent as JSON if they are texts', async () => {
    const { client, sent } = recorded();
    await client.knowledge.createDocument({ title: 'Guide', text: 'Dig.' });
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/knowledge/documents',
        contentType: 'application/json',
        body: { title: 'Guide', text: 'Dig.' },
      },
    ]);
  });

  it('are sent as a form if they are files, whose content type is left to fetch', async () => {
    const { client, sent } = recorded();
    await client.knowledge.createDocument({ file: new File(['# A'], 'a.md', { type: 'text/markdown' }) });
    await client.knowledge.createDocument({ title: 'B', file: new Blob(['b']), fileName: 'b.txt' });
    const forms = sent.map(({ contentType, body }) => {
      if (!(body instanceof FormData)) throw new Error('No form');
      const file = body.get('file') as File;
      return [contentType, body.get('title'), file.name, file.type];
    });
    expect(forms).toEqual([
      [null, null, 'a.md', 'text/markdown'],
      [null, 'B', 'b.txt', ''],
    ]);
  });

  it('are listed, read, deleted, and searched', async () => {
    const { client, sent } = recorded();
    await client.knowledge.listDocuments({ limit: 5, cursor: 'c' });
    await client.knowledge.getDocument('a/b');
    await client.knowledge.deleteDocument('7');
    await client.knowledge.search({ query: 'How?', topK: 3 });
    await client.knowledge.getSettings();
    await client.knowledge.updateSettings({ embeddingModel: null });
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/api/knowledge/documents?limit=5&cursor=c', undefined],
      ['GET', '/api/knowledge/documents/a%2Fb', undefined],
      ['DELETE', '/api/knowledge/documents/7', undefined],
      ['POST', '/api/knowledge/search', { query: 'How?', topK: 3 }],
      ['GET', '/api/knowledge/settings', undefined],
      ['PATCH', '/api/knowledge/settings', { embeddingModel: null }],
    ]);
  });
});

it('sources are created, listed, changed, fetched, and deleted', async () => {
  const { client, sent } = recorded();
  await client.knowledge.createSource({ kind: 'url', url: 'https://example.com', everyHours: 24 });
  await client.knowledge.listSources({ limit: 5 });
  await client.knowledge.getSource('7');
  await client.knowledge.updateSource('7', { enabled: false });
  await client.knowledge.fetchSource('7');
  await client.knowledge.listSourcePages('7', { status: 'FAILED' });
  await client.knowledge.deleteSource('7', { documents: 'keep' });
  await client.knowledge.deleteSource('a/b');
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/knowledge/sources',
    'GET /api/knowledge/sources?limit=5',
    'GET /api/knowledge/sources/7',
    'PATCH /api/knowledge/sources/7',
    'POST /api/knowledge/sources/7/fetch',
    'GET /api/knowledge/sources/7/pages?status=FAILED',
    'DELETE /api/knowledge/sources/7?documents=keep',
    'DELETE /api/knowledge/sources/a%2Fb',
  ]);
});
