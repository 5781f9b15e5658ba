import type { AuditEntry, Page, PageQuery } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';

export interface AuditQuery extends PageQuery {
  /** User id. */
  actor?: string;
  action?: string;
  /** ISO 8601. */
  from?: string;
  to?: string;
}

/** What admins did, newest first; for admins. */
export class AuditResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: AuditQuery = {}, options?: RequestOptions): Promise<Page<AuditEntry>> {
    return this.http.get('/api/audit', { ...query }, options);
  }
}
