import type { WebhookType } from '@platform/contracts';
import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** How long an attempt can take before it is repeated. */
const ATTEMPT = `interval '1 minute'`;
/** Of a delivery that is sent again and again. */
const MAX_KEPT_ATTEMPTS = 20;

export interface NewDelivery {
  spaceId: string;
  jobId: string;
  /** The segment of the turn whose end it reports; 0 if none ran. */
  segment: number;
  type: WebhookType;
  url: string;
  body: string;
}

/** Stores a delivery. Returns null if it was already stored. */
export async function insertDelivery(
  tx: Sql,
  delivery: NewDelivery,
  republishAfterMs: number,
): Promise<string | null> {
  const { spaceId, jobId, segment, type, url, body } = delivery;
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into webhook_delivery (space_id, job_id, segment, type, url, body, next_publish_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::float8 * interval '1 millisecond')
     on conflict (job_id, segment, type) do nothing returning id`,
    [spaceId, jobId, segment, type, url, body, republishAfterMs],
  );
  return row?.id ?? null;
}

export interface Delivery {
  id: string;
  spaceId: string;
  url: string;
}

/** Returns those of the deliveries that can be attempted now. */
export function listDueDeliveries(sql: Sql, ids: readonly string[]): Promise<Delivery[]> {
  return rows(
    sql,
    `select id, space_id, url from webhook_delivery
     where id = any($1::uuid[]) and next_publish_at is not null and available_at <= clock_timestamp()`,
    [ids],
  );
}

/** Postpones a delivery because too many wait for its host: later each time, at most by a minute. */
export async function postponeDelivery(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update webhook_delivery set hints = hints + 1,
       next_publish_at = clock_timestamp() + least(60, power(2, least(hints, 6))) * interval '1 second'
     where id = $1 and next_publish_at is not null and available_at <= clock_timestamp()`,
    [id],
  );
}

export interface Attempt {
  id: string;
  spaceId: string;
  jobId: string;
  url: string;
  body: string;
  /** Including this one: the fencing token. */
  attempts: number;
  /** By the clock of the database. */
  at: Date;
}

/** Starts an attempt and records it. Returns null if none is due, or if another process has started it. */
export function beginAttempt(sql: Sql, id: string): Promise<Attempt | null> {
  return firstRow(
    sql,
    `with begun as (
       update webhook_delivery set attempts = attempts + 1, hints = 0, available_at = clock_timestamp() + ${ATTEMPT},
         next_publish_at = clock_timestamp() + ${ATTEMPT}
       where id = $1 and next_publish_at is not null and available_at <= clock_timestamp()
       returning id, space_id, job_id, url, body, attempts, date_trunc('milliseconds', clock_timestamp()) as at
     ), outdated as (
       delete from webhook_attempt using begun
       where delivery_id = begun.id and attempt <= begun.attempts - ${MAX_KEPT_ATTEMPTS}
     ), recorded as (
       insert into webhook_attempt (delivery_id, attempt, started_at) select id, attempts, at from begun
     )
     select * from begun`,
    [id],
  );
}

/** How an attempt ended. */
export interface AttemptEnd {
  durationMs: number;
  /** Null if nobody responded, 0 if the service failed to send. */
  status: number | null;
  responseBody: string | null;
}

/** The attempt $1, $2 has ended. It is told once, also if another one has started since. */
const WITH_END = `with ended as (
  update webhook_attempt set duration_ms = $3, status = $4, response_body = $5
  where delivery_id = $1 and attempt = $2 and duration_ms is null
)`;

const endOf = ({ id, attempts }: Attempt, { durationMs, status, responseBody }: AttemptEnd) => [
  id,
  attempts,
  durationMs,
  status,
  responseBody,
];

/** Stores that an endpoint has accepted a message, also if another attempt has started since. */
export async function markDelivered(sql: Sql, attempt: Attempt, end: AttemptEnd): Promise<void> {
  await rows(
    sql,
    `${WITH_END} update webhook_delivery set delivered_at = clock_timestamp(), next_publish_at = null, last_error = null
     where id = $1 and delivered_at is null`,
    endOf(attempt, end),
  );
}

/**
 * Schedules the next attempt after `delayMs`, or gives up if it is null. Returns false if the delivery has ended, or another
 * attempt has started since.
 */
export async function markFailed(
  sql: Sql,
  attempt: Attempt,
  end: AttemptEnd,
  error: string,
  delayMs: number | null,
): Promise<boolean> {
  const failed = await rows(
    sql,
    `${WITH_END} update webhook_delivery set last_error = $6,
       available_at = clock_timestamp() + coalesce($7::float8, 0) * interval '1 millisecond',
       next_publish_at = clock_timestamp() + $7::float8 * interval '1 millisecond'
     where id = $1 and attempts = $2 and delivered_at is null and next_publish_at is not null
     returning id`,
    [...endOf(attempt, end), error, delayMs],
  );
  return failed.length > 0;
}

/** Has rows if a delivery is due to be published. */
export const DELIVERIES_DUE = 'select from webhook_delivery where next_publish_at <= statement_timestamp()';

export const DUE_DELIVERIES = `
  update webhook_delivery set hints = hints + 1,
    next_publish_at = clock_timestamp() + $2 * power(2, least(hints, 10)) * interval '1 millisecond'
  where id = any(array(
    select id from webhook_delivery where next_publish_at <= statement_timestamp()
    order by next_publish_at limit $1 for update skip locked))
  returning id`;

/** Takes due deliveries to be published. Each is published again, later each time, until an attempt is made. */
export async function takeDueDeliveries(
  sql: Sql,
  limit: number,
  republishAfterMs: number,
): Promise<string[]> {
  const due = await rows<{ id: string }>(sql, DUE_DELIVERIES, [limit, republishAfterMs]);
  return due.map(({ id }) => id);
}

/** Makes at most `limit` deliveries due that wait for a hint. Returns how many. */
export function expediteDeliveries(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `update webhook_delivery set hints = 0, next_publish_at = clock_timestamp()
     where id = any(array(
       select id from webhook_delivery
       where next_publish_at > statement_timestamp() and available_at <= clock_timestamp() limit $1
       for update skip locked))`,
    [limit],
  );
}

export const PURGE_DELIVERIES = `
  delete from webhook_delivery where id = any(array(
    select id from webhook_delivery
    where next_publish_at is null and created_at < statement_timestamp() - interval '30 days'
    order by created_at limit $1 for update skip locked))`;

/** Deletes at most `limit` deliveries that ended and are a month old. Returns how many. */
export function purgeDeliveries(sql: Sql, limit: number): Promise<number> {
  return affected(sql, PURGE_DELIVERIES, [limit]);
}

export const FORGET_BODIES = `
  with forgotten as (
    update webhook_delivery set body = null where id = any(array(
      select id from webhook_delivery
      where next_publish_at is null and body is not null and created_at < statement_timestamp() - interval '7 days'
      order by created_at limit $1 for update skip locked))
    returning id
  ), responses as (
    update webhook_attempt set response_body = null from forgotten where delivery_id = forgotten.id
  )
  select id from forgotten`;

/**
 * Removes the messages of at most `limit` deliveries that ended and are a week old, and the responses, which can repeat them:
 * the contents of an execution are kept no longer either. Returns how many.
 */
export async function forgetBodies(sql: Sql, limit: number): Promise<number> {
  return (await rows(sql, FORGET_BODIES, [limit])).length;
}
