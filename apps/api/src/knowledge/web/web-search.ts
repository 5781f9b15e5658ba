/** A page that a web search found. All of it is foreign text, without markup. */
export interface WebResult {
  url: string;
  title: string;
  snippet: string;
  /** 0 to 1. */
  score: number;
}

/** The port to a search engine for the web. */
export abstract class WebSearch {
  /** Whether the operator has set up a search engine. Otherwise, `search` throws. */
  abstract readonly isConfigured: boolean;

  /**
   * Returns at most `limit` results, best first. Throws a `WebSearchError` if there is no usable response, and the reason of
   * the signal.
   */
  abstract search(query: string, limit: number, signal: AbortSignal): Promise<WebResult[]>;
}

export class WebSearchError extends Error {
  override name = 'WebSearchError';
}
