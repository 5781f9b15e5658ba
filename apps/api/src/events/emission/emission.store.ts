import type { EnvelopeReason, EnvelopeStatus, EventSource } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { preparedRows, rows, type Sql } from '../../infra/database/rows.ts';

/** An envelope to be recorded. */
export interface NewEnvelope {
  spaceId: string;
  applicationId: string;
  event: string;
  /** The schema and recursion limit that it was checked against. */
  schemaHash: Buffer;
  recursionLimit: number;
  /** As JSON. */
  payload: string;
  payloadHash: Buffer;
  idempotencyKey: string | null;
  /** Identifies the emission among those of its event; null if it is not idempotent. */
  keyHash: Buffer | null;
  status: Exclude<EnvelopeStatus, 'DISPATCHED'>;
  statusReason: EnvelopeReason | null;
  lastError: string | null;
  source: EventSource;
  actorUserId: string | null;
  causationId: string | null;
  causationRunId: string | null;
  /** Null: the envelope itself. */
  rootId: string | null;
  depth: number;
  path: string[];
}

/** What became of a row, in the order of the rows. */
export interface RecordedRow {
  id: string;
  /** Whether the event is registered with the schema and the limit that the row was checked against. */
  isCurrent: boolean;
  /** Null if the row was not stored: it is not current, or its key is taken. */
  emittedAt: Date | null;
}

// Names of events contain no spaces, so a path is sent as one text.
const RECORD = `
  with input as materialized (
    select i.*, uuid_v7() as id, e.name is not null as is_current
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::int[], $6::text[], $7::bytea[], $8::text[], $9::bytea[],
      $10::text[], $11::text[], $12::text[], $13::text[], $14::uuid[], $15::uuid[], $16::uuid[], $17::uuid[], $18::int[],
      $19::text[]) with ordinality
      as i(space_id, application_id, event, schema_hash, recursion_limit, payload, payload_hash, idempotency_key, key_hash,
        status, status_reason, last_error, source, actor_user_id, causation_id, causation_run_id, root_id, depth, path, n)
    left join registered_event e on e.application_id = i.application_id and e.name = i.event and e.retired_at is null
      and e.schema_hash = i.schema_hash and e.recursion_limit = i.recursion_limit
  ), keys as (
    insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
    select application_id, event, key_hash, id, payload_hash from input
    where is_current and key_hash is not null order by n
    on conflict do nothing returning envelope_id
  ), envelopes as (
    insert into envelope (id, space_id, application_id, event, payload, status, status_reason, last_error, source,
      idempotency_key, actor_user_id, causation_id, causation_run_id, root_id, depth, path)
    select id, space_id, application_id, event, payload::json, status, status_reason, last_error, source,
      idempotency_key, actor_user_id, causation_id, causation_run_id, coalesce(root_id, id), depth,
      string_to_array(path, ' ')
    from input where is_current and (key_hash is null or id in (select envelope_id from keys)) order by n
    returning id, space_id, status, emitted_at
  ), outbox as (
    insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
    select id, 0, space_id, clock_timestamp() + $20 * interval '1 millisecond' from envelopes where status = 'PENDING'
  )
  select i.id, i.is_current, e.emitted_at
  from input i left join envelopes e on e.id = i.id order by i.n`;

/**
 * Records envelopes with their keys and outbox rows in one statement. A row is not stored if its key is taken: the statement
 * waits for another transaction that is storing the same key, so rows must be sorted the same way by all callers.
 */
export function recordEnvelopes(
  tx: EntityManager,
  envelopes: readonly NewEnvelope[],
  republishAfterMs: number,
): Promise<RecordedRow[]> {
  const column = <T>(value: (envelope: NewEnvelope) => T) => envelopes.map(value);
  return preparedRows(tx, 'record_envelopes', RECORD, [
    column(({ spaceId }) => spaceId),
    column(({ applicationId }) => applicationId),
    column(({ event }) => event),
    column(({ schemaHash }) => schemaHash),
    column(({ recursionLimit }) => recursionLimit),
    column(({ payload }) => payload),
    column(({ payloadHash }) => payloadHash),
    column(({ idempotencyKey }) => idempotencyKey),
    column(({ keyHash }) => keyHash),
    column(({ status }) => status),
    column(({ statusReason }) => statusReason),
    column(({ lastError }) => lastError),
    column(({ source }) => source),
    column(({ actorUserId }) => actorUserId),
    column(({ causationId }) => causationId),
    column(({ causationRunId }) => causationRunId),
    column(({ rootId }) => rootId),
    column(({ depth }) => depth),
    column(({ path }) => path.join(' ')),
    republishAfterMs,
  ]);
}

/** The envelope that a key refers to. */
export interface KeyHolder {
  applicationId: string;
  event: string;
  keyHash: Buffer;
  payloadHash: Buffer;
  id: string;
  status: EnvelopeStatus;
  statusReason: EnvelopeReason | null;
  emittedAt: Date;
}

/** Lists the envelopes that keys refer to. A statement of its own after `recordEnvelopes`, to see what that waited for. */
export function listKeyHolders(
  tx: Sql,
  keys: readonly { applicationId: string; event: string; keyHash: Buffer | null }[],
): Promise<KeyHolder[]> {
  return rows(
    tx,
    `select k.application_id, k.event, k.key_hash, k.payload_hash,
       e.id, e.status, e.status_reason, e.emitted_at
     from unnest($1::uuid[], $2::text[], $3::bytea[]) as i(application_id, event, key_hash)
     join emission_key k using (application_id, event, key_hash)
     join envelope e on e.id = k.envelope_id`,
    [
      keys.map(({ applicationId }) => applicationId),
      keys.map(({ event }) => event),
      keys.map(({ keyHash }) => keyHash),
    ],
  );
}

/** Whether an envelope is stored. */
export async function hasEnvelope(sql: Sql, id: string): Promise<boolean> {
  return (await rows(sql, 'select id from envelope where id = $1', [id])).length > 0;
}
