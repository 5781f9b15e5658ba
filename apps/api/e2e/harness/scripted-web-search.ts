import { WebSearch, WebSearchError, type WebResult } from '../../src/knowledge/web/web-search.ts';

/** A web search that finds what a test says; null: it fails. */
export class ScriptedWebSearch extends WebSearch {
  isConfigured = true;
  results: Omit<WebResult, 'score'>[] | null = [];

  search(_query: string, limit: number, signal: AbortSignal): Promise<WebResult[]> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (!this.isConfigured || this.results === null)
      return Promise.reject(new WebSearchError('The scripted search has failed'));
    const found = this.results.slice(0, limit);
    return Promise.resolve(found.map((result, i) => ({ ...result, score: 1 / (i + 1) })));
  }
}
