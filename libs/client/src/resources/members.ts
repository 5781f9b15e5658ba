import type {
  AddedMember,
  AddMemberRequest,
  InvitedMember,
  ListMembersQuery,
  Member,
  MemberRemoval,
  RemoveMemberQuery,
  UpdateMemberRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path, withIds } from '../url.ts';
import type { WithIds } from '../url.ts';

/** The members of the space. Only for admins. */
export class MembersResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists the members, newest account first unless `sort` says otherwise. `text` is sought in names and email addresses. */
  list(query: WithIds<ListMembersQuery> = {}, options?: RequestOptions): PagePromise<Member> {
    return this.http.list('/api/members', withIds({ ...query }), options);
  }

  /**
   * Adds a user to the space. If the caller is an installation administrator, the user becomes a member immediately,
   * and the response contains a temporary password if the user is new and the request contains no password. For all
   * other admins an invitation is created, and `status` is `invited`.
   */
  add(member: AddMemberRequest, options?: RequestOptions): ApiPromise<AddedMember | InvitedMember> {
    return this.http.post('/api/members', member, options);
  }

  /** Changes the role. Installation administrators can also appoint and dismiss installation administrators. */
  update(userId: string, changes: UpdateMemberRequest, options?: RequestOptions): ApiPromise<Member> {
    return this.http.patch(path`/api/members/${userId}`, changes, options);
  }

  /** Returns what would stop if the member were removed, and which tasks `transferTo` cannot take over. */
  previewRemoval(
    userId: string,
    query: RemoveMemberQuery = {},
    options?: RequestOptions,
  ): ApiPromise<MemberRemoval> {
    return this.http.get(path`/api/members/${userId}/removal`, { ...query }, options);
  }

  /**
   * Removes the member. The member's API keys and access tokens become invalid immediately. The member's tasks are disabled, unless
   * `transferTo` takes them over.
   */
  remove(userId: string, query: RemoveMemberQuery = {}, options?: RequestOptions): ApiPromise<void> {
    return this.http.json({
      ...options,
      method: 'DELETE',
      path: path`/api/members/${userId}`,
      query: { ...query },
    });
  }
}
