import type { ChangeSource, PolledRow } from '../../infra/changes/change-sources.registry.ts';
import { rows } from '../../infra/database/rows.ts';

const COLUMNS = `space_id, id, status, xmin::text as version, status in ('QUEUED', 'RUNNING') as is_open, owner_user_id`;

/** Runs, for those who follow the changes of a space. A run that waits is not open: a trigger tells when it goes on. */
export const runChanges: ChangeSource = {
  kind: 'run',
  listCurrent: (sql, spaceIds, limit) =>
    rows<PolledRow>(
      sql,
      `select r.* from unnest($1::uuid[]) as followed(space) cross join lateral (
         select found.* from unnest(array['QUEUED', 'RUNNING']) as open(state) cross join lateral (
           select ${COLUMNS} from run where space_id = followed.space and status = open.state
           order by id desc limit $2) found
         union all
         select found.* from unnest(array['WAITING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED']) as closed(state)
         cross join lateral (
           select ${COLUMNS} from run where space_id = followed.space and status = closed.state
             and id > uuid_v7_floor(statement_timestamp() - interval '10 seconds')
           order by id desc limit $2) found
       ) r`,
      [spaceIds, limit],
    ),
  listByIds: (sql, ids) =>
    rows<PolledRow>(sql, `select ${COLUMNS} from run where id = any($1::uuid[])`, [ids]),
};
