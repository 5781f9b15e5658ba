import type { CreateSpaceRequest, Page, PageQuery, SpaceSummary } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';

/** The spaces of the user. */
export class SpacesResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): Promise<Page<SpaceSummary>> {
    return this.http.get('/api/spaces', { ...query }, options);
  }

  /** Creates a space. The caller becomes its ADMIN. */
  create(space: CreateSpaceRequest, options?: RequestOptions): Promise<SpaceSummary> {
    return this.http.post('/api/spaces', space, options);
  }
}
