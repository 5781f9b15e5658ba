import type { WebhookType } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** How long an attempt can take before it is repeated. */
const ATTEMPT = `interval '1 minute'`;

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
  /** Including this one. */
  attempts: number;
  /** By the clock of the database. */
  at: Date;
}

/** Starts an attempt. Returns null if none is due, or if another process has started it. */
export function beginAttempt(sql: Sql, id: string): Promise<Attempt | null> {
  return firstRow(
    sql,
    `update webhook_delivery set attempts = attempts + 1, hints = 0, available_at = clock_timestamp() + ${ATTEMPT},
       next_publish_at = clock_timestamp() + ${ATTEMPT}
     where id = $1 and next_publish_at is not null and available_at <= clock_timestamp()
     returning id, space_id, job_id, url, body, attempts, clock_timestamp() as at`,
    [id],
  );
}

export async function markDelivered(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update webhook_delivery set delivered_at = clock_timestamp(), next_publish_at = null, last_error = null
     where id = $1`,
    [id],
  );
}

/** Schedules the next attempt after `delayMs`, or gives up if it is null. */
export async function markFailed(sql: Sql, id: string, error: string, delayMs: number | null): Promise<void> {
  await rows(
    sql,
    `update webhook_delivery set last_error = $2,
       available_at = clock_timestamp() + coalesce($3::float8, 0) * interval '1 millisecond',
       next_publish_at = clock_timestamp() + $3::float8 * interval '1 millisecond'
     where id = $1 and delivered_at is null`,
    [id, error, delayMs],
  );
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
export async function expediteDeliveries(sql: Sql, limit: number): Promise<number> {
  const expedited = await rows(
    sql,
    `update webhook_delivery set hints = 0, next_publish_at = clock_timestamp()
     where id = any(array(
       select id from webhook_delivery
       where next_publish_at > statement_timestamp() and available_at <= clock_timestamp() limit $1
       for update skip locked))
     returning id`,
    [limit],
  );
  return expedited.length;
}

export const PURGE_DELIVERIES = `
  delete from webhook_delivery where id = any(array(
    select id from webhook_delivery
    where next_publish_at is null and created_at < statement_timestamp() - interval '30 days'
    order by created_at limit $1 for update skip locked))
  returning id`;

/** Deletes at most `limit` deliveries that ended and are a month old. Returns how many. */
export async function purgeDeliveries(sql: Sql, limit: number): Promise<number> {
  return (await rows(sql, PURGE_DELIVERIES, [limit])).length;
}
