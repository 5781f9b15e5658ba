import type { JsonSchema } from '@platform/contracts';
import { rows, type Sql } from '../../infra/database/rows.ts';

/** An event that can be emitted. */
export interface RegisteredEvent {
  applicationId: string;
  name: string;
  payloadSchema: JsonSchema;
  schemaHash: Buffer;
  recursionLimit: number;
}

/** Lists events by application and name; retired and unknown ones are omitted. */
export function listRegisteredEvents(
  sql: Sql,
  events: readonly { applicationId: string; name: string }[],
): Promise<RegisteredEvent[]> {
  return rows(
    sql,
    `select e.application_id, e.name, e.payload_schema,
       e.schema_hash, e.recursion_limit
     from unnest($1::uuid[], $2::text[]) as i(application_id, name)
     join registered_event e using (application_id, name)
     where e.retired_at is null`,
    [events.map(({ applicationId }) => applicationId), events.map(({ name }) => name)],
  );
}
