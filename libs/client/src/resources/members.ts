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

/** Who belongs to the space; for its admins. */
export class MembersResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  list(query: PageQuery = {}, options?: RequestOptions): Promise<Page<Member>> {
    return this.http.get('/api/members', { ...query }, options);
  }

  /**
   * An installation administrator adds the person at once; the answer holds a temporary password, this once, if the
   * person is new and none was given. For every other admin it is an invitation: `status` is `invited`.
   */
  add(member: AddMemberRequest, options?: RequestOptions): Promise<AddedMember | InvitedMember> {
    return this.http.post('/api/members', member, options);
  }

  /** The role, or by an installation administrator whether the person is one too. */
  update(userId: string, changes: UpdateMemberRequest, options?: RequestOptions): Promise<Member> {
    return this.http.patch(path`/api/members/${userId}`, changes, options);
  }

  /** The member's keys and tokens die at once. */
  remove(userId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/members/${userId}`, options);
  }
}
