import type { CompactionResult, ContextStatus } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** What the model gets to read of a session; its history is never changed. */
export class ContextResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  status(agentId: string, sessionId: string, options?: RequestOptions): Promise<ContextStatus> {
    return this.http.postAgain(contextPath(agentId, sessionId, 'status'), {}, options);
  }

  /** Summarises what the model has read so far; `dryRun` only tells what that would do. */
  compact(
    agentId: string,
    sessionId: string,
    { dryRun }: { dryRun?: boolean } = {},
    options?: RequestOptions,
  ): Promise<CompactionResult> {
    const address = contextPath(agentId, sessionId, 'compact');
    // A summary is a call of a model, which may take its time.
    return this.http.json({
      timeoutMs: 0,
      ...options,
      method: 'POST',
      path: address,
      query: { dryRun },
      body: {},
    });
  }

  /** Takes the last compaction back. */
  undo(agentId: string, sessionId: string, options?: RequestOptions): Promise<ContextStatus> {
    return this.http.post(contextPath(agentId, sessionId, 'undo'), {}, options);
  }
}

function contextPath(agentId: string, sessionId: string, verb: string): string {
  return path`/api/agents/${agentId}/sessions/${sessionId}/context/${verb}`;
}
