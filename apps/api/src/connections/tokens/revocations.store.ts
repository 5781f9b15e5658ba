import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

export interface ClaimedRevocation {
  id: string;
  spaceId: string;
  providerId: string;
  attempts: number;
}

/** Has rows if a revocation is due, though its provider may have as many attempts as it may. */
export const REVOCATIONS_DUE = 'select 1 from connection where revoke_at <= statement_timestamp()';

/** Claims of a provider in one process: one that does not answer leaves places for the others. */
const MAX_OF_PROVIDER = 2;

/**
 * Claims until the next attempt is due, which comes later each time: of the space, and then of the provider, with the fewest
 * attempts in this process, the one that has been due for longest. The providers are found one by one, so that no claim reads
 * all that is due.
 */
export const CLAIM_REVOCATION = `with recursive waiting as (
    (select provider_id, space_id from connection where revoke_at is not null order by provider_id limit 1)
    union all
    select next.provider_id, next.space_id from waiting
    cross join lateral (
      select provider_id, space_id from connection
      where revoke_at is not null and provider_id > waiting.provider_id order by provider_id limit 1
    ) next
  ), candidate as materialized (
    select provider_id from (
      select provider_id, cardinality(array_positions($1::uuid[], provider_id)) as of_provider,
        cardinality(array_positions($2::uuid[], space_id)) as of_space
      from waiting
    ) counted
    where of_provider < ${MAX_OF_PROVIDER} order by of_space, of_provider, random()
  ), chosen as materialized (
    select due.id from candidate
    cross join lateral (
      select id from connection
      where provider_id = candidate.provider_id and revoke_at <= statement_timestamp()
      order by revoke_at limit 1 for update skip locked
    ) due limit 1
  )
  update connection set revoke_attempts = revoke_attempts + 1,
    revoke_at = clock_timestamp() + make_interval(secs => least(21600, 30 * power(2, revoke_attempts)))
  where id = any(array(select id from chosen))
  returning id, space_id, provider_id, revoke_attempts as attempts`;

/** `executing`: what this process has claimed and not ended. */
export function claimRevocation(
  sql: Sql,
  executing: readonly ClaimedRevocation[],
): Promise<ClaimedRevocation | null> {
  return firstRow(sql, CLAIM_REVOCATION, [
    executing.map(({ providerId }) => providerId),
    executing.map(({ spaceId }) => spaceId),
  ]);
}

export async function endRevocation(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update connection set revoke_at = null, secret = null, refresh_token = null
     where id = $1 and status = 'REVOKED'`,
    [id],
  );
}
