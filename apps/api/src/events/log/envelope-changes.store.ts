import type { ChangeSource, PolledRow } from '../../infra/changes/change-sources.registry.ts';
import { rows } from '../../infra/database/rows.ts';

const COLUMNS = `space_id, id, status, xmin::text as version, status = 'PENDING' as is_open, null::uuid as owner_user_id`;

/** Envelopes, for those who follow the changes of a space. */
export const envelopeChanges: ChangeSource = {
  kind: 'envelope',
  listCurrent: (sql, spaceIds, limit) =>
    rows<PolledRow>(
      sql,
      `select e.* from unnest($1::uuid[]) as followed(space) cross join lateral (
         (select ${COLUMNS} from envelope where space_id = followed.space and status = 'PENDING'
          order by id desc limit $2)
         union
         (select ${COLUMNS} from envelope where space_id = followed.space
            and id > uuid_v7_floor(statement_timestamp() - interval '10 seconds')
          order by id desc limit $2)
       ) e`,
      [spaceIds, limit],
    ),
  listByIds: (sql, ids) =>
    rows<PolledRow>(sql, `select ${COLUMNS} from envelope where id = any($1::uuid[])`, [ids]),
};
