import type {
  AddedMember,
  AddMemberRequest,
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

  /** Tells a temporary password, this once, when the person is new and none was given. */
  add(member: AddMemberRequest, options?: RequestOptions): Promise<AddedMember> {
    return this.http.post('/api/members', member, options);
  }

  update(userId: string, changes: UpdateMemberRequest, options?: RequestOptions): Promise<Member> {
    return this.http.patch(path`/api/members/${userId}`, changes, options);
  }

  /** The member's keys and tokens die at once. */
  remove(userId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/members/${userId}`, options);
  }
}
