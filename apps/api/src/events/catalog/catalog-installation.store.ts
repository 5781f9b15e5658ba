import type { EventFilter, JsonSchema, SubscriptionBatch, SubscriptionDebounce } from '@platform/contracts';
import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';

/** The application of a space whose events and subscriptions are installed. */
export interface CatalogOwner {
  spaceId: string;
  applicationId: string;
}

export interface DeclaredEvent {
  name: string;
  description: string;
  payloadSchema: JsonSchema;
  schemaHash: Buffer;
  recursionLimit: number;
}

/** Stores the name under which the catalog shows an application. */
export async function nameApplication(
  tx: Sql,
  { spaceId, applicationId }: CatalogOwner,
  name: string,
): Promise<void> {
  await rows(
    tx,
    `insert into catalog_application (space_id, application_id, name) values ($1, $2, $3)
     on conflict (application_id) do update set name = excluded.name`,
    [spaceId, applicationId, name],
  );
}

/** Registers events, again if they were retired. An event gets a new version when its schema changes. */
export async function registerEvents(
  tx: Sql,
  { spaceId, applicationId }: CatalogOwner,
  events: readonly DeclaredEvent[],
): Promise<void> {
  await rows(
    tx,
    `insert into registered_event as e
       (space_id, application_id, name, description, payload_schema, schema_hash, recursion_limit)
     select $1, $2, name, description, payload_schema::json, schema_hash, recursion_limit
     from unnest($3::text[], $4::text[], $5::text[], $6::bytea[], $7::int[])
       as d(name, description, payload_schema, schema_hash, recursion_limit)
     on conflict (application_id, name) do update set
       description = excluded.description, payload_schema = excluded.payload_schema,
       schema_hash = excluded.schema_hash, recursion_limit = excluded.recursion_limit,
       version = e.version + (e.schema_hash <> excluded.schema_hash)::int,
       updated_at = clock_timestamp(), retired_at = null`,
    [
      spaceId,
      applicationId,
      events.map(({ name }) => name),
      events.map(({ description }) => description),
      events.map(({ payloadSchema }) => JSON.stringify(payloadSchema)),
      events.map(({ schemaHash }) => schemaHash),
      events.map(({ recursionLimit }) => recursionLimit),
    ],
  );
}

/** Retires the events of an application except those with the given names. */
export async function retireEvents(tx: Sql, applicationId: string, kept: readonly string[]): Promise<void> {
  await rows(
    tx,
    `update registered_event set retired_at = clock_timestamp()
     where application_id = $1 and retired_at is null and name <> all($2::text[])`,
    [applicationId, kept],
  );
}

/** Returns how many bytes the catalog of a space has. */
export async function sumCatalogBytes(tx: Sql, spaceId: string): Promise<number> {
  const { bytes } = await exactlyOne<{ bytes: number }>(
    tx,
    `select coalesce(sum(octet_length(name || description || payload_schema::text)), 0)::float8 as bytes
     from registered_event where space_id = $1 and retired_at is null`,
    [spaceId],
  );
  return bytes;
}

export interface DeclaredSubscription {
  key: string;
  event: string;
  taskId: string;
  filter: EventFilter | null;
  debounce: SubscriptionDebounce | null;
  batch: SubscriptionBatch | null;
  enabled: boolean;
}

/**
 * Creates the default subscriptions of an application. One that exists keeps its switch, its filter, its debounce, its batch,
 * and its deletion, which are the user's. If it moves to another event, it takes the declared filter, because the old one
 * names other fields.
 */
export async function putDefaultSubscriptions(
  tx: Sql,
  { spaceId, applicationId }: CatalogOwner,
  userId: string,
  declared: readonly DeclaredSubscription[],
): Promise<void> {
  await rows(
    tx,
    `insert into subscription as s
       (space_id, application_id, created_by, origin, default_key, event, task_id, filter, enabled, debounce, batch)
     select $1, $2, $3, 'APP_DEFAULT', key, event, task_id, filter::json, enabled, debounce::json, batch::json
     from unnest($4::text[], $5::text[], $6::uuid[], $7::text[], $8::boolean[], $9::text[], $10::text[])
       as d(key, event, task_id, filter, enabled, debounce, batch)
     on conflict (application_id, default_key) where default_key is not null do update set
       event = excluded.event, task_id = excluded.task_id,
       filter = case when s.event = excluded.event then s.filter else excluded.filter end,
       debounce = case when s.event = excluded.event then s.debounce else excluded.debounce end,
       batch = case when s.event = excluded.event then s.batch else excluded.batch end,
       updated_at = clock_timestamp(), retired_at = null`,
    [
      spaceId,
      applicationId,
      userId,
      declared.map(({ key }) => key),
      declared.map(({ event }) => event),
      declared.map(({ taskId }) => taskId),
      declared.map(({ filter }) => filter && JSON.stringify(filter)),
      declared.map(({ enabled }) => enabled),
      declared.map(({ debounce }) => debounce && JSON.stringify(debounce)),
      declared.map(({ batch }) => batch && JSON.stringify(batch)),
    ],
  );
}

/** Retires the default subscriptions of an application except those with the given keys. */
export async function retireDefaultSubscriptions(
  tx: Sql,
  applicationId: string,
  kept: readonly string[],
): Promise<void> {
  await rows(
    tx,
    `update subscription set retired_at = clock_timestamp()
     where application_id = $1 and default_key is not null and retired_at is null
       and default_key <> all($2::text[])`,
    [applicationId, kept],
  );
}
