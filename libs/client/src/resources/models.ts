import type {
  AvailableModels,
  CreateModelRequest,
  ListAvailableModelsRequest,
  Model,
  ModelTestResult,
  PageQuery,
  SavedModel,
  UpdateModelRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

type SaveOptions = RequestOptions & { test?: boolean };

/** The model catalog of the space. */
export class ModelsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<Model> {
    return this.http.list('/api/models', { ...query }, options);
  }

  /** With `test`, also asks the model one short question; it is saved, whatever the result is. */
  create(model: CreateModelRequest, { test, ...options }: SaveOptions = {}): ApiPromise<SavedModel> {
    return this.http.json({ ...options, method: 'POST', path: '/api/models', query: { test }, body: model });
  }

  /** `test` as in `create`. */
  update(
    id: string,
    changes: UpdateModelRequest,
    { test, ...options }: SaveOptions = {},
  ): ApiPromise<SavedModel> {
    const query = { test };
    return this.http.json({
      ...options,
      method: 'PATCH',
      path: path`/api/models/${id}`,
      query,
      body: changes,
    });
  }

  delete(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/models/${id}`, options);
  }

  /** Asks a server, or that of a model, which models it has. A failure is a result. */
  listAvailable(request: ListAvailableModelsRequest, options?: RequestOptions): ApiPromise<AvailableModels> {
    return this.http.post('/api/models/available', request, options);
  }

  /** Calls the model once and returns the outcome. */
  test(id: string, options?: RequestOptions): ApiPromise<ModelTestResult> {
    return this.http.post(path`/api/models/${id}/test`, {}, options);
  }
}
