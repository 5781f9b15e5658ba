import type { Invitation, PageQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The pending invitations of the space, created by `members.add`. Only for admins. */
export class InvitationsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): PagePromise<Invitation> {
    return this.http.list('/api/invitations', { ...query }, options);
  }

  /** Withdraws an invitation, so that it can no longer be accepted. */
  withdraw(id: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/invitations/${id}`, options);
  }
}
