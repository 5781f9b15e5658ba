// Fills the tables of the event bus by SQL, as if events had been emitted for a month.

const CHUNK = 250_000;

/**
 * Ids and times are spread evenly over the period. One in 50 events is FAILED, one in 50 is SKIPPED, and one in 10 has a key:
 * `order 0`, `order 10`, and so on.
 */
const INSERT_PAST = `
  with emitted as (
    insert into envelope (id, space_id, application_id, event, payload, status, status_reason, source, emitted_at, matched_count,
      dispatched_at, root_id, path, idempotency_key)
    select id, $1::uuid, $2::uuid, event, payload::json, status,
      case status when 'FAILED' then 'DISPATCH_ATTEMPTS_EXHAUSTED' when 'SKIPPED' then 'DEPTH_LIMIT' end, 'app', at, 1,
      case status when 'DISPATCHED' then at end, id, array[$2::uuid::text || '/' || event],
      case n % 10 when 0 then 'order ' || n end
    from (
      select n, overlay(uuid_v7()::text placing left(uuid_v7_floor(at)::text, 13) from 1 for 13)::uuid as id, at,
        'order.event-' || (n % $6::int) as event,
        case n % 50 when 0 then 'FAILED' when 1 then 'SKIPPED' else 'DISPATCHED' end as status,
        '{"n":' || n || ',"kind":"rush","amount":40.5,"customer":{"id":"c-' || n || '","name":"A name of usual length"}}' as payload
      from (
        select n, $3::timestamptz + n * ($4::timestamptz - $3::timestamptz) / $5::int as at
        from generate_series($7::int, $8::int) n
      ) times
    ) made
    returning id, event, idempotency_key
  )
  insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
  select $2::uuid, event, sha256(convert_to('application', 'utf8') || '\\x00' || convert_to(idempotency_key, 'utf8')), id, ''
  from emitted where idempotency_key is not null`;

/** Records past events between two times. */
export async function fillPast(client, { spaceId, applicationId, events, from, to, count, onChunk }) {
  await client.query(
    `select ensure_partition('envelope', n) from generate_series($1::timestamptz, $2::timestamptz, interval '1 day') n`,
    [from, to],
  );
  for (let first = 0; first < count; first += CHUNK) {
    const last = Math.min(first + CHUNK, count) - 1;
    await client.query(INSERT_PAST, [spaceId, applicationId, from, to, count, events, first, last]);
    onChunk(last + 1);
  }
  await client.query('vacuum analyze envelope');
  await client.query('vacuum analyze emission_key');
}

/** One run for each envelope of a range, and its delivery: of one of the tasks, one in 20 FAILED. */
const INSERT_RUNS = `
  with created as (
    insert into run (id, space_id, task_id, owner_user_id, origin, status, trigger, payload, inputs, envelope_id, generation,
      root_id, depth, path, created_at, started_at, finished_at)
    select e.id, e.space_id, ($2::uuid[])[1 + n % cardinality($2::uuid[])], $3::uuid, 'EVENT',
      case n % 20 when 0 then 'FAILED' else 'SUCCEEDED' end, '{}', e.payload, '{}', e.id, 0, e.id, 0, e.path, e.emitted_at,
      e.emitted_at, e.emitted_at
    from (select *, row_number() over () as n from (
      select * from envelope where space_id = $1 and id > $4 order by id limit $5) page) e
    returning id, task_id
  )
  insert into delivery (envelope_id, subscription_id, generation, run_id, outcome)
  select id, task_id, 0, id, 'RUN_CREATED' from created`;

/** Records past runs of past envelopes, the oldest first. */
export async function fillRuns(client, { spaceId, userId, taskIds, from, to, count, onChunk }) {
  await client.query(
    `select ensure_partition('run', n), ensure_partition('delivery', n) from generate_series($1::timestamptz, $2::timestamptz, interval '1 day') n`,
    [from, to],
  );
  let last = '00000000-0000-0000-0000-000000000000';
  for (let done = 0; done < count; done += CHUNK) {
    await client.query(INSERT_RUNS, [spaceId, taskIds, userId, last, Math.min(CHUNK, count - done)]);
    const { rows } = await client.query('select id from run order by id desc limit 1');
    last = rows[0].id;
    onChunk(Math.min(done + CHUNK, count));
  }
  await client.query('vacuum analyze run');
  await client.query('vacuum analyze delivery');
}

const INSERT_ROWS = `
  insert into data_row (space_id, application_id, table_name, column_values)
  select $1, $2, $3, json_build_object('number', 'A-' || n, 'customer', 'customer ' || n % 50000, 'total', (n::bigint * 7919) % 100000,
    'paid', n % 2 = 0, 'dueAt', to_char('2026-01-01'::timestamp + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
  from generate_series($4::int, $5::int) n`;

/** Stores rows of one table. */
export async function fillRows(client, { spaceId, applicationId, table, count, onChunk }) {
  for (let first = 0; first < count; first += CHUNK / 5) {
    const last = Math.min(first + CHUNK / 5, count) - 1;
    await client.query(INSERT_ROWS, [spaceId, applicationId, table, first, last]);
    onChunk(last + 1);
  }
  await client.query('vacuum analyze data_row');
  await client.query('vacuum analyze data_value');
}

const INSERT_PENDING = `
  with made as (
    insert into envelope (space_id, application_id, event, payload, status, source, root_id, path)
    select $1::uuid, $2::uuid, 'order.event-0', ('{"n":' || n || ',"kind":"rush","amount":40.5}')::json, 'PENDING', 'app', uuid_v7(),
      array[$2::uuid::text || '/order.event-0']
    from generate_series(1, $3::int) n returning id
  )
  insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
  select id, 0, $1::uuid, clock_timestamp() from made`;

/** Records events that are not dispatched yet. */
export async function fillPending(client, { spaceId, applicationId, count, onChunk }) {
  for (let done = 0; done < count; done += CHUNK) {
    await client.query(INSERT_PENDING, [spaceId, applicationId, Math.min(CHUNK, count - done)]);
    onChunk(Math.min(done + CHUNK, count));
  }
  await client.query('vacuum analyze envelope_outbox');
  await client.query('analyze envelope');
}
