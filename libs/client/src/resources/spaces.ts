import type {
  CreateSavedViewRequest,
  CreateSpaceRequest,
  ListSavedViewsQuery,
  PageQuery,
  SavedView,
  SpaceSummary,
  UpdateSavedViewRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

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

/** Filters of the console's lists, kept by name. */
export class SavedViewsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the caller's own views and those that are shared with the space, newest first. */
  list(query: ListSavedViewsQuery = {}, options?: RequestOptions): PagePromise<SavedView> {
    return this.http.list('/api/saved-views', { ...query }, options);
  }

  /** Saves a view. The same view again returns the one that is there. */
  create(view: CreateSavedViewRequest, options?: RequestOptions): ApiPromise<SavedView> {
    return this.http.post('/api/saved-views', view, options);
  }

  update(viewId: string, change: UpdateSavedViewRequest, options?: RequestOptions): ApiPromise<SavedView> {
    return this.http.patch(path`/api/saved-views/${viewId}`, change, options);
  }

  delete(viewId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/saved-views/${viewId}`, options);
  }
}
