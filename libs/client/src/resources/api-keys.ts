import type { ApiKey, CreateApiKeyRequest, CreatedApiKey, Page, PageQuery } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The caller's own API keys. */
export class ApiKeysResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): Promise<Page<ApiKey>> {
    return this.http.get('/api/api-keys', { ...query }, options);
  }

  /** Creates a key. The complete key is returned only here. */
  create(apiKey: CreateApiKeyRequest, options?: RequestOptions): Promise<CreatedApiKey> {
    return this.http.post('/api/api-keys', apiKey, options);
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/api-keys/${id}`, options);
  }
}
