import type {
  AddedMember,
  AddMemberRequest,
  InvitedMember,
  Member,
  Page,
  PageQuery,
  UpdateMemberRequest,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** The members of the space. Only for admins. */
export class MembersResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): Promise<Page<Member>> {
    return this.http.get('/api/members', { ...query }, options);
  }

  /**
   * Adds a user to the space. If the caller is an installation administrator, the user becomes a member immediately,
   * and the response contains a temporary password if the user is new and the request contains no password. For all
   * other admins an invitation is created, and `status` is `invited`.
   */
  add(member: AddMemberRequest, options?: RequestOptions): Promise<AddedMember | InvitedMember> {
    return this.http.post('/api/members', member, options);
  }

  /** Changes the role. Installation administrators can also appoint and dismiss installation administrators. */
  update(userId: string, changes: UpdateMemberRequest, options?: RequestOptions): Promise<Member> {
    return this.http.patch(path`/api/members/${userId}`, changes, options);
  }

  /** Removes the member. The member's API keys and access tokens become invalid immediately. */
  remove(userId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/members/${userId}`, options);
  }
}
