import type { Page } from '@platform/contracts';
import { paginate } from './pagination.ts';

/** A result with the HTTP response that it came in. The body of the response has been read. */
export interface ApiResult<T> {
  data: T;
  response: Response;
  /** `X-Request-Id`. It identifies the call in the logs of the service. */
  requestId: string | null;
}

/** A call of the API, which has been sent. Awaiting it returns the result; `withResponse` also returns the response. */
export class ApiPromise<T> extends Promise<T> {
  private readonly call: Promise<ApiResult<T>>;

  constructor(call: Promise<ApiResult<T>>) {
    // The promise itself is never used. If it followed the call, a failure that only `withResponse` awaits would be unhandled.
    super((resolve) => resolve(undefined as T));
    this.call = call;
  }

  /** What `then` and the other methods return is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the result with its HTTP response, such as its headers. */
  withResponse(): Promise<ApiResult<T>> {
    return this.call;
  }

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.call.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  /** Returns the call with another result. */
  map<R>(convert: (data: T) => R): ApiPromise<R> {
    return new ApiPromise(this.call.then(({ data, ...rest }) => ({ ...rest, data: convert(data) })));
  }
}

/** A page of a list. Awaiting it returns the page; `for await` yields the items of this page and of all that follow. */
export class PagePromise<T, P extends Page<T> = Page<T>> extends ApiPromise<P> implements AsyncIterable<T> {
  private readonly fetchPage: (cursor: string) => PromiseLike<P>;

  constructor(first: Promise<ApiResult<P>>, fetchPage: (cursor: string) => PromiseLike<P>) {
    super(first);
    this.fetchPage = fetchPage;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return paginate((cursor) => (cursor === undefined ? this : this.fetchPage(cursor)));
  }
}
