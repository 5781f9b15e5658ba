import { Injectable } from '@nestjs/common';
import type { AuditEntry, Page, UserSummary } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { rows } from '../infra/database/rows.ts';
import { Cursors } from '../infra/http/cursors.ts';
import type { AuditQueryDto } from './auth.dto.ts';
import { smallestIdAt, parseInstant } from '../infra/http/instant.ts';

interface AuditRow {
  id: string;
  at: Date;
  actor: UserSummary | null;
  action: string;
  targetType: string;
  targetId: string | null;
  details: Record<string, unknown>;
  requestId: string | null;
}

/**
 * Ids are made when their entries are: a range of ids keeps a query for last year from reading this one. The clock
 * that stamps both may be set back a little in between.
 */
const ID_SLACK_MS = 60_000;

@Injectable()
export class AuditService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
  ) {}

  async list(
    spaceId: string,
    { limit, cursor, actor, action, from, to }: AuditQueryDto,
  ): Promise<Page<AuditEntry>> {
    const [after, before] = [parseInstant(from), parseInstant(to)];
    const filter = { auditOf: spaceId, actor, action, from, to };
    const entries = await rows<AuditRow>(
      this.database,
      `select a.id, a.at, a.action, a.target_type as "targetType", a.target_id as "targetId", a.details,
         a.request_id as "requestId",
         case when u.id is not null then json_build_object('id', u.id, 'email', u.email, 'name', u.name) end as actor
       from audit_entry a left join platform_user u on u.id = a.actor_user_id
       where a.space_id = $1
         and ($2::uuid is null or a.actor_user_id = $2)
         and ($3::text is null or a.action = $3)
         and ($4::timestamptz is null or a.at >= $4)
         and ($5::timestamptz is null or a.at <= $5)
         and ($6::uuid is null or a.id < $6)
         and ($8::uuid is null or a.id >= $8)
         and ($9::uuid is null or a.id <= $9)
       order by a.id desc limit $7`,
      [
        spaceId,
        actor,
        action,
        after,
        before,
        this.cursors.idAfter(cursor, filter),
        limit + 1,
        after && smallestIdAt(after.getTime() - ID_SLACK_MS),
        before && smallestIdAt(before.getTime() + ID_SLACK_MS),
      ],
    );
    return this.cursors.page(
      entries,
      limit,
      filter,
      ({ id }) => [id],
      (row) => ({ ...row, at: row.at.toISOString() }),
    );
  }
}
