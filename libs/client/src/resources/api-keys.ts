import type { ApiKey, CreateApiKeyRequest, CreatedApiKey, PageQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The caller's own API keys. */
export class ApiKeysResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<ApiKey> {
    return this.http.list('/api/api-keys', { ...query }, options);
  }

  /** Creates a key. The complete key is returned only here. */
  create(apiKey: CreateApiKeyRequest, options?: RequestOptions): ApiPromise<CreatedApiKey> {
    return this.http.post('/api/api-keys', apiKey, options);
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/api-keys/${id}`, options);
  }
}
