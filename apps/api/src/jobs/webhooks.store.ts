import type { WebhookType } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';

/** How long an attempt may take before another one is made in its place. */
const ATTEMPT = `interval '1 minute'`;

export interface NewDelivery {
  spaceId: string;
  jobId: string;
  /** The turn's segment that it tells the end of; 0: none ran. */
  segment: number;
  type: WebhookType;
  url: string;
  body: string;
}

/** Stores what is to be told, once; null where it was stored before. */
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

/** Those of the ids that are deliveries which may be attempted now. */
export function listDueDeliveries(sql: Sql, ids: readonly string[]): Promise<Delivery[]> {
  return rows(
    sql,
    `select id, space_id as "spaceId", url from webhook_delivery
     where id = any($1::uuid[]) and next_publish_at is not null and available_at <= clock_timestamp()`,
    [ids],
  );
}

/** Too many wait for its host: it is published again later, and later each time, at most a minute. */
export async function postpone(sql: Sql, id: string): Promise<void> {
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
  url: string;
  body: string;
  /** This one counted. */
  attempts: number;
  /** By the clock of the database. */
  at: Date;
}

/** Counts an attempt before it is made; null where none is due, or somebody else makes it. */
export function beginAttempt(sql: Sql, id: string): Promise<Attempt | null> {
  return firstRow(
    sql,
    `update webhook_delivery set attempts = attempts + 1, hints = 0, available_at = clock_timestamp() + ${ATTEMPT},
       next_publish_at = clock_timestamp() + ${ATTEMPT}
     where id = $1 and next_publish_at is not null and available_at <= clock_timestamp()
     returning id, space_id as "spaceId", url, body, attempts, clock_timestamp() as at`,
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

/** Plans the next attempt after `delayMs`; null: gives up. */
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

export const DUE_DELIVERIES = `
  update webhook_delivery set hints = hints + 1,
    next_publish_at = clock_timestamp() + $2 * power(2, least(hints, 10)) * interval '1 millisecond'
  where id = any(array(
    select id from webhook_delivery where next_publish_at <= statement_timestamp()
    order by next_publish_at limit $1 for update skip locked))
  returning id`;

/** Deliveries that an attempt is due of; each is told again later, and later each time, until one is made. */
export async function takeDueDeliveries(
  sql: Sql,
  limit: number,
  republishAfterMs: number,
): Promise<string[]> {
  const due = await rows<{ id: string }>(sql, DUE_DELIVERIES, [limit, republishAfterMs]);
  return due.map(({ id }) => id);
}

/** Makes due what may be attempted now and was only waiting for a hint; how many, `limit` at most. */
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

/** Removes what was told, or given up, a month ago; how many, `limit` at most. */
export async function purgeDeliveries(sql: Sql, limit: number): Promise<number> {
  return (await rows(sql, PURGE_DELIVERIES, [limit])).length;
}
