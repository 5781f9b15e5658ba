import type {
  GrantRequest,
  SpaceStorage,
  StorageQuotasRequest,
  UsageBalance,
  UsageEntry,
  UsageEntryQuery,
  UsageSummary,
  UsageSummaryQuery,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** Balances, charges, and grants, in tokens, and what the space stores, in bytes. */
export class UsageResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Returns the balance of the caller and the balance of the space. */
  balance(options?: RequestOptions): ApiPromise<UsageBalance> {
    return this.http.get('/api/usage/balance', {}, options);
  }

  /** Lists charges and grants: the caller's own, or for admins those of the space or of one user. */
  entries(query: UsageEntryQuery = {}, options?: RequestOptions): PagePromise<UsageEntry> {
    return this.http.list('/api/usage/entries', { ...query }, options);
  }

  /** Returns the charges of a time window: the caller's own, or for admins those of the space or of one user. */
  summary(query: UsageSummaryQuery = {}, options?: RequestOptions): ApiPromise<UsageSummary> {
    return this.http.get('/api/usage/summary', { ...query }, options);
  }

  /** Grants tokens to a member or to the space. The first grant makes the account limited. Only for admins. */
  grant(grant: GrantRequest, options?: RequestOptions): ApiPromise<UsageEntry> {
    return this.http.post('/api/usage/grants', grant, options);
  }

  /** Returns how many bytes the space stores, by event and table, and its quotas. Only for admins. */
  storage(options?: RequestOptions): ApiPromise<SpaceStorage> {
    return this.http.get('/api/storage', {}, options);
  }

  /** Replaces the quotas of the space; null: no limit. Only for admins. */
  setStorageQuotas(quotas: StorageQuotasRequest, options?: RequestOptions): ApiPromise<SpaceStorage> {
    return this.http.json({ ...options, method: 'PUT', path: '/api/storage/quotas', body: quotas });
  }
}
