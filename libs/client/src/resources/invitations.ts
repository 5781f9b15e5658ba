import type { Invitation, Page, PageQuery } from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The pending invitations of the space; for its admins. `members.add` makes them. */
export class InvitationsResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): Promise<Page<Invitation>> {
    return this.http.get('/api/invitations', { ...query }, options);
  }

  /** The person can no longer accept it. */
  withdraw(id: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/invitations/${id}`, options);
  }
}
