import type { CompactionResult, ContextStatus } from '@platform/contracts';
import type { ApiPromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** What the model receives of a session. The history of the session never changes. */
export class ContextResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Returns the size of the context. */
  status(agentId: string, sessionId: string, options?: RequestOptions): ApiPromise<ContextStatus> {
    return this.http.postIdempotent(contextPath(agentId, sessionId, 'status'), {}, options);
  }

  /** Replaces older messages in the context by a summary. With `dryRun`, only returns the sizes it would produce. */
  compact(
    agentId: string,
    sessionId: string,
    { dryRun }: { dryRun?: boolean } = {},
    options?: RequestOptions,
  ): ApiPromise<CompactionResult> {
    // The summary is written by the model, which can take long.
    return this.http.json({
      timeoutMs: 0,
      ...options,
      method: 'POST',
      path: contextPath(agentId, sessionId, 'compact'),
      query: { dryRun },
      body: {},
    });
  }

  /** Undoes the latest compaction. */
  undo(agentId: string, sessionId: string, options?: RequestOptions): ApiPromise<ContextStatus> {
    return this.http.post(contextPath(agentId, sessionId, 'undo'), {}, options);
  }
}

function contextPath(agentId: string, sessionId: string, verb: string): string {
  return path`/api/agents/${agentId}/sessions/${sessionId}/context/${verb}`;
}
