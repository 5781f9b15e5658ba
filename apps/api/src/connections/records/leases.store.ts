import type { ConnectionReason } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** Who renews the access token of a connection, and until when. */
export interface RenewalLease {
  connectionId: string;
  providerId: string;
  fencingToken: number;
  generation: number;
  /** Whether the answer to an earlier request never arrived. */
  isRepeated: boolean;
  /** When the lease began. */
  began: Date;
}

/** Null if somebody else renews it, if it was renewed, or if it is too early after a failure. */
export function acquireRenewal(
  sql: Sql,
  connectionId: string,
  generation: number,
  leaseMs: number,
): Promise<RenewalLease | null> {
  return firstRow(
    sql,
    `update connection
     set fencing_token = fencing_token + 1, unanswered = unanswered + 1,
       lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
     where id = $1 and generation = $2 and status = 'ACTIVE'
       and (lease_until is null or lease_until <= clock_timestamp())
       and (retry_at is null or retry_at <= clock_timestamp())
     returning id as connection_id, provider_id, fencing_token, generation, unanswered > 1 as is_repeated,
       clock_timestamp() as began`,
    [connectionId, generation, leaseMs],
  );
}

/** Whether somebody still renews the access token of that generation. */
export async function isRenewing(sql: Sql, connectionId: string, generation: number): Promise<boolean> {
  const found = await firstRow(
    sql,
    `select 1 from connection
     where id = $1 and generation = $2 and status = 'ACTIVE' and (retry_at is null or retry_at <= clock_timestamp())`,
    [connectionId, generation],
  );
  return found !== null;
}

/** What is stored of an answer with tokens: sealed. */
export interface SealedTokens {
  secret: string;
  /** Null: the old one stays valid. */
  refreshToken: string | null;
  /** Null: they were not named, so they are as before. */
  scopes: string[] | null;
  /** Null: unknown. */
  expiresInSeconds: number | null;
}

/**
 * When a token is renewed: a minute before it expires, or halfway if it lives for less than two. `$seconds` is null for
 * tokens that do not say when they expire.
 */
const expiry = (began: string, seconds: string) =>
  `expires_at = ${began} + make_interval(secs => ${seconds}::float8),
   renew_at = ${began} + make_interval(secs => greatest(${seconds}::float8 - 60, ${seconds}::float8 / 2))`;

const HELD = 'id = $1 and fencing_token = $2 and generation = $3';

const held = ({ connectionId, fencingToken, generation }: RenewalLease) => [
  connectionId,
  fencingToken,
  generation,
];

/** Returns false if the lease was lost. */
export async function storeRenewed(sql: Sql, lease: RenewalLease, tokens: SealedTokens): Promise<boolean> {
  const { secret, refreshToken, scopes, expiresInSeconds } = tokens;
  const stored = await rows(
    sql,
    `update connection
     set secret = $4, refresh_token = coalesce($5, refresh_token), scopes = coalesce($6, scopes),
       ${expiry('$7::timestamptz', '$8')}, generation = generation + 1, lease_until = null, unanswered = 0,
       failures = 0, retry_at = null, reason = null, updated_at = clock_timestamp()
     where ${HELD} returning id`,
    [...held(lease), secret, refreshToken, scopes, lease.began, expiresInSeconds],
  );
  return stored.length > 0;
}

/** The owner has to sign in again. */
export async function endGrant(sql: Sql, lease: RenewalLease, reason: ConnectionReason): Promise<void> {
  await rows(
    sql,
    `update connection
     set status = 'EXPIRED', reason = $4, secret = null, refresh_token = null, lease_until = null, unanswered = 0,
       retry_at = null, updated_at = clock_timestamp()
     where ${HELD}`,
    [...held(lease), reason],
  );
}

/** Ends the lease without new tokens. For a while, nobody tries again. */
export async function postponeRenewal(
  sql: Sql,
  lease: RenewalLease,
  reason: ConnectionReason,
  isAnswered: boolean,
): Promise<void> {
  await rows(
    sql,
    `update connection
     set lease_until = null, failures = failures + 1, reason = $4,
       unanswered = case when $5 then unanswered - 1 else unanswered end,
       retry_at = clock_timestamp() + make_interval(secs => least(300, 2 * power(2, least(failures, 10))))
     where ${HELD}`,
    [...held(lease), reason, isAnswered],
  );
}

export async function markRefused(sql: Sql, connectionId: string, generation: number): Promise<void> {
  await rows(
    sql,
    `update connection set refused_generation = generation, refused_at = clock_timestamp()
     where id = $1 and generation = $2`,
    [connectionId, generation],
  );
}

export async function markUsed(sql: Sql, connectionId: string): Promise<void> {
  await rows(
    sql,
    `update connection set last_used_at = clock_timestamp()
     where id = $1 and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`,
    [connectionId],
  );
}

/** A connection as a call needs it. */
export interface UsableRow {
  id: string;
  spaceId: string;
  providerId: string;
  providerName: string;
  ownerUserId: string | null;
  name: string;
  kind: string;
  placement: { in: 'header' | 'query' | 'cookie'; name: string } | null;
  /** Consented to by the owner; those of the provider can be others. */
  origins: string[];
  providerOrigins: string[];
  username: string | null;
  secret: string | null;
  hasRefreshToken: boolean;
  status: 'ACTIVE' | 'EXPIRED';
  reason: ConnectionReason | null;
  grantNumber: number;
  generation: number;
  refusedGeneration: number | null;
  isDue: boolean;
  isExpired: boolean;
  isBackingOff: boolean;
  /** Its last use is more than a minute ago. */
  isStale: boolean;
}

/** A connection of the space by its id, or that of a person by its provider. */
export function findUsable(
  sql: Sql,
  spaceId: string,
  by: { connectionId: string } | { providerId: string; userId: string } | { id: string },
): Promise<UsableRow | null> {
  const [where, values] =
    'connectionId' in by
      ? ['c.id = $2 and c.owner_user_id is null', [by.connectionId]]
      : 'id' in by
        ? ['c.id = $2', [by.id]]
        : ['c.provider_id = $2 and c.owner_user_id = $3', [by.providerId, by.userId]];
  return firstRow(
    sql,
    `select c.id, c.space_id, c.provider_id, p.name as provider_name, c.owner_user_id, c.name, c.kind, p.placement,
       c.origins, p.origins as provider_origins, c.username, c.secret, c.refresh_token is not null as has_refresh_token,
       c.status, c.reason, c.grant_number, c.generation, c.refused_generation,
       coalesce(c.renew_at <= clock_timestamp(), false) as is_due,
       coalesce(c.expires_at <= clock_timestamp(), false) as is_expired,
       coalesce(c.retry_at > clock_timestamp(), false) as is_backing_off,
       coalesce(c.last_used_at < clock_timestamp() - interval '1 minute', true) as is_stale
     from connection c join connection_provider p on p.id = c.provider_id and p.deleted_at is null
     where c.space_id = $1 and ${where} and c.status <> 'REVOKED'`,
    [spaceId, ...values],
  );
}
