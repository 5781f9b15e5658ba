import type { AuditEntry, PageQuery } from '@platform/contracts';
import type { PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';

export interface AuditQuery extends PageQuery {
  /** Id of the user who acted. */
  actor?: string | undefined;
  action?: string | undefined;
  /** ISO 8601, inclusive. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The audit log of the space, newest entries first. Only for admins. */
export class AuditResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: AuditQuery = {}, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.http.list('/api/audit', { ...query }, options);
  }
}
