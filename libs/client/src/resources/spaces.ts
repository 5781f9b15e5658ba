import type { CreateSpaceRequest, PageQuery, SpaceSummary } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** The spaces of the user. */
export class SpacesResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<SpaceSummary> {
    return this.http.list('/api/spaces', { ...query }, options);
  }

  /** Creates a space. The caller becomes its ADMIN. */
  create(space: CreateSpaceRequest, options?: RequestOptions): ApiPromise<SpaceSummary> {
    return this.http.post('/api/spaces', space, options);
  }
}
