import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { plainSnippet } from './plain-snippet.ts';
import { WebSearch, WebSearchError, type WebResult } from './web-search.ts';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_URL_CHARS = 2_000;
const MAX_TITLE_CHARS = 200;
const MAX_SNIPPET_CHARS = 1_000;
/** Engines search for at most some dozen words. */
const MAX_QUERY_CHARS = 400;

/** Searches with a SearXNG server, or with one that has the same JSON interface. */
@Injectable()
export class SearxngSearchService extends WebSearch {
  constructor(
    private readonly config: PlatformConfig,
    private readonly http: GuardedHttp,
  ) {
    super();
  }

  get isConfigured(): boolean {
    return this.config.webSearchUrl !== null;
  }

  async search(query: string, limit: number, signal: AbortSignal): Promise<WebResult[]> {
    const { webSearchUrl } = this.config;
    if (webSearchUrl === null) throw new WebSearchError('Web search is not configured');
    const url = new URL(`${webSearchUrl.replace(/\/+$/, '')}/search`);
    url.searchParams.set('q', query.slice(0, MAX_QUERY_CHARS).toWellFormed());
    url.searchParams.set('format', 'json');
    const found = readResults(await this.fetch(url, signal)).slice(0, limit);
    return found.map((result, i) => ({ ...result, score: rankScore(i) }));
  }

  private async fetch(url: URL, signal: AbortSignal): Promise<unknown> {
    try {
      const request = {
        headers: { accept: 'application/json' },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        signal,
      };
      const response = await this.http.fetch(url, request);
      if (!response.ok)
        throw new WebSearchError(`The search engine responded with status ${response.status}`);
      return response.json();
    } catch (error) {
      if (error instanceof OutgoingError)
        throw new WebSearchError(`The search engine could not be reached: ${error.reason}`, { cause: error });
      if (error instanceof SyntaxError)
        throw new WebSearchError('The response of the search engine is not JSON', { cause: error });
      throw error;
    }
  }
}

function readResults(body: unknown): Omit<WebResult, 'score'>[] {
  const results = isObject(body) ? body.results : null;
  if (!Array.isArray(results))
    throw new WebSearchError('The response of the search engine has no list of results');
  return results.flatMap((result: unknown) => {
    if (!isObject(result)) return [];
    const { url, title, content } = result;
    const address = typeof url === 'string' && url.length <= MAX_URL_CHARS ? URL.parse(url) : null;
    if (address === null || !['http:', 'https:'].includes(address.protocol)) return [];
    return [
      {
        url: address.href,
        title: plainSnippet(title, MAX_TITLE_CHARS) || address.hostname,
        snippet: plainSnippet(content, MAX_SNIPPET_CHARS),
      },
    ];
  });
}

/** The scores of engines cannot be compared, their order can. */
function rankScore(position: number): number {
  return Math.round(1_000 / (1 + position / 4)) / 1_000;
}
