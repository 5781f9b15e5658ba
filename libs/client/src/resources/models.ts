import type {
  CreateModelRequest,
  Model,
  ModelTestResult,
  PageQuery,
  UpdateModelRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The model catalog of the space. */
export class ModelsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<Model> {
    return this.http.list('/api/models', { ...query }, options);
  }

  create(model: CreateModelRequest, options?: RequestOptions): ApiPromise<Model> {
    return this.http.post('/api/models', model, options);
  }

  update(id: string, changes: UpdateModelRequest, options?: RequestOptions): ApiPromise<Model> {
    return this.http.patch(path`/api/models/${id}`, changes, options);
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/models/${id}`, options);
  }

  /** Calls the model once and returns the outcome. */
  test(id: string, options?: RequestOptions): ApiPromise<ModelTestResult> {
    return this.http.post(path`/api/models/${id}/test`, {}, options);
  }
}
