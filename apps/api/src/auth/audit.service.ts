import { Injectable } from '@nestjs/common';
import type { AuditEntry, Page, UserSummary } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { rows } from '../infra/database/rows.ts';
import { Cursors } from '../infra/http/cursors.ts';
import type { AuditQueryDto } from './auth.dto.ts';
import { instant } from './instant.ts';

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
       order by a.id desc limit $7`,
      [spaceId, actor, action, instant(from), instant(to), this.cursors.idAfter(cursor, filter), limit + 1],
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
