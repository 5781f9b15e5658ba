import type { Trace, TurnListing, TurnQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** Turns of all agents, and their traces. */
export class TurnsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the caller's turns, or for admins with scope `space` the figures of all turns of the space, newest first. */
  list(query: TurnQuery = {}, options?: RequestOptions): PagePromise<TurnListing> {
    return this.http.list('/api/turns', { ...query }, options);
  }

  /** Returns one of the caller's turns with its model calls, tool calls, and questions. */
  trace(agentId: string, turnId: string, options?: RequestOptions): ApiPromise<Trace> {
    return this.http.get(path`/api/agents/${agentId}/turns/${turnId}/trace`, {}, options);
  }
}
