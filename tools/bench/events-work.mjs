// The work that all subjects of bench:events do: the same payload, and the rows that an emission stores.
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';

export const EVENT = 'order.created';

/** The code step that an event starts. */
export const CODE = 'return { n: context.execution.inputs.trigger.payload.n, ok: true };';

/** About 300 bytes of JSON. */
export const payloadOf = (n) => ({
  n,
  kind: n % 2 === 0 ? 'rush' : 'normal',
  amount: n % 1_000,
  customer: { id: randomUUID(), name: 'Ada Lovelace', email: 'ada@example.com' },
  lines: [
    { sku: 'A-1000', quantity: 2, price: 19.9 },
    { sku: 'B-2000', quantity: 1, price: 5 },
  ],
  note: 'Leave the parcel with the neighbors on the second floor.',
});

const INSERT = `
  with key as (
    insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
    values ($1, $2, $3, $4, $5)
  ), outbox as (
    insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
    values ($4, 0, $6, clock_timestamp() + interval '30 seconds')
  )
  insert into envelope (id, space_id, application_id, event, payload, status, source, idempotency_key, root_id, path)
  values ($4, $6, $1, $2, $7, 'PENDING', 'app', $8, $4, array[$2])`;

const SPACE = randomUUID();
const APPLICATION = randomUUID();

/** Returns a function that stores the rows of one emission, in one prepared statement. */
export function inserter(databaseUrl, connections) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  return async (payload, key) => {
    const text = JSON.stringify(payload);
    const id = uuidV7();
    const values = [APPLICATION, EVENT, sha256(key), id, sha256(text), SPACE, text, key];
    await pool.query({ name: 'emission', text: INSERT, values });
    return id;
  };
}

const sha256 = (text) => createHash('sha256').update(text).digest();

function uuidV7() {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
