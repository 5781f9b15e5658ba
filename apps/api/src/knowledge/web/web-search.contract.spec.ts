import { startSearchServer, type SearchServer } from '../../../e2e/fixtures/search-server.ts';
import { ScriptedWebSearch } from '../../../e2e/harness/scripted-web-search.ts';
import type { PlatformConfig } from '../../infra/config/platform-config.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import { SearxngSearchService } from './searxng-search.service.ts';
import { WebSearchError, type WebSearch } from './web-search.ts';

const PAGES = [
  { url: 'https://example.com/a', title: 'First', snippet: 'The first page.' },
  { url: 'https://example.com/b', title: 'Second', snippet: 'The second page.' },
  { url: 'https://example.com/c', title: 'Third', snippet: '' },
];
const never = new AbortController().signal;

/** A search, and how a test decides what it finds. */
interface Fixture {
  web: WebSearch;
  find(pages: typeof PAGES): void;
  fail(): void;
  close(): Promise<void>;
}

const http = new GuardedHttp({ allowPrivate: ['127.0.0.1'] });
const searxng = (url: string | null, client = http) =>
  new SearxngSearchService({ webSearchUrl: url } as PlatformConfig, client);

describe.each<[string, () => Promise<Fixture>]>([
  [
    'SearXNG',
    async () => {
      const server = await startSearchServer();
      return {
        web: searxng(server.url),
        find: (pages) =>
          server.find(pages.map(({ url, title, snippet }) => ({ url, title, content: snippet }))),
        fail: () => (server.answer = (res) => res.writeHead(500).end()),
        close: () => server.close(),
      };
    },
  ],
  [
    'the scripted search of the tests',
    () => {
      const web = new ScriptedWebSearch();
      return Promise.resolve({
        web,
        find: (pages) => (web.results = pages),
        fail: () => (web.results = null),
        close: () => Promise.resolve(),
      });
    },
  ],
])('a web search: %s', (_, start) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await start();
  });
  afterAll(() => fixture.close());

  it('finds pages, best first, at most as many as asked for', async () => {
    fixture.find(PAGES);
    expect(fixture.web.isConfigured).toBe(true);
    const found = await fixture.web.search('pages', 2, never);
    expect(found.map(({ score: _score, ...page }) => page)).toEqual(PAGES.slice(0, 2));
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
  });

  it('finds nothing', async () => {
    fixture.find([]);
    expect(await fixture.web.search('nothing', 5, never)).toEqual([]);
  });

  it('throws a WebSearchError if it fails, and the reason of the signal', async () => {
    fixture.fail();
    await expect(fixture.web.search('x', 5, never)).rejects.toThrow(WebSearchError);
    const reason = new Error('Stopped');
    await expect(fixture.web.search('x', 5, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('SearXNG', () => {
  let server: SearchServer;
  beforeAll(async () => {
    server = await startSearchServer();
  });
  afterAll(() => server.close());

  it('is not configured without an address', async () => {
    expect(searxng(null).isConfigured).toBe(false);
    await expect(searxng(null).search('x', 5, never)).rejects.toThrow(WebSearchError);
  });

  it('asks for JSON, below the path of the address', async () => {
    await searxng(`${server.url}/searx`).search('a & b?', 5, never);
    expect(server.requests.at(-1)).toBe('/searx/search?q=a+%26+b%3F&format=json');
  });

  it('strips markup, and leaves out what is no page', async () => {
    server.find([
      {
        url: 'https://a.example/',
        title: '<b>Bold</b> &amp; <i>plain</i>',
        content: 'x\0y<script>alert(1)</script>z',
      },
      { url: 'javascript:alert(1)', title: 'no', content: '' },
      { url: 'https://b.example/', title: '', content: 7 },
      { url: `https://c.example/${'x'.repeat(3_000)}`, title: 'long', content: '' },
      null,
      'text',
      { url: 'https://d.example/', title: 'T'.repeat(9_000), content: '😀'.repeat(5_000) },
    ]);
    const found = await searxng(server.url).search('x', 9, never);
    expect(found.slice(0, 2)).toMatchObject([
      { url: 'https://a.example/', title: 'Bold & plain', snippet: 'x yz' },
      { url: 'https://b.example/', title: 'b.example', snippet: '' },
    ]);
    expect(found[2]).toMatchObject({ title: 'T'.repeat(200) });
    expect(found[2]?.snippet.length).toBeLessThanOrEqual(1_000);
    expect(found[2]?.snippet.isWellFormed()).toBe(true);
    expect(found).toHaveLength(3);
  });

  it.each<[string, string]>([
    ['HTML', '<html>'],
    ['a list', '[]'],
    ['an object without results', '{}'],
    ['more than 2 MB', `{"results":["${'x'.repeat(2_200_000)}"]}`],
  ])('fails on %s', async (_, body) => {
    server.answer = (res) => res.end(body);
    await expect(searxng(server.url).search('x', 5, never)).rejects.toThrow(WebSearchError);
  });

  it('does not reach private addresses that the operator does not allow', async () => {
    const calls = server.requests.length;
    const guarded = searxng(server.url, new GuardedHttp({ allowPrivate: [] }));
    await expect(guarded.search('x', 5, never)).rejects.toThrow(WebSearchError);
    expect(server.requests).toHaveLength(calls);
  });
});
