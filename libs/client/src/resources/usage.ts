import type {
  GrantRequest,
  Page,
  UsageBalance,
  UsageEntry,
  UsageEntryQuery,
  UsageSummary,
  UsageSummaryQuery,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** Tokens: what is left, what was used, what was granted. */
export class UsageResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** The caller's own balance and the space's. */
  balance(options?: RequestOptions): Promise<UsageBalance> {
    return this.http.get('/api/usage/balance', {}, options);
  }

  /** The caller's own charges and grants; for admins those of the space, or of one user. */
  entries(query: UsageEntryQuery = {}, options?: RequestOptions): Promise<Page<UsageEntry>> {
    return this.http.get('/api/usage/entries', { ...query }, options);
  }

  /** What was charged in a window, the caller's own; for admins of the space, or of one user. */
  summary(query: UsageSummaryQuery = {}, options?: RequestOptions): Promise<UsageSummary> {
    return this.http.get('/api/usage/summary', { ...query }, options);
  }

  /** Gives tokens to a member or to the space, for admins; the first grant makes a limit. */
  grant(grant: GrantRequest, options?: RequestOptions): Promise<UsageEntry> {
    return this.http.post('/api/usage/grants', grant, options);
  }
}
