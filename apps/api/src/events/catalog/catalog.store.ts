import type { JsonSchema } from '@platform/contracts';
import { MOST_FOUND } from '../../search/search.registry.ts';
import { rows, type Sql } from '../../infra/database/rows.ts';

export interface CatalogRow {
  applicationId: string;
  applicationName: string;
  name: string;
  description: string;
  payloadSchema: JsonSchema;
}

/** Lists the registered events of a space by application and name. */
export function listCatalog(sql: Sql, spaceId: string): Promise<CatalogRow[]> {
  return rows(
    sql,
    `select e.application_id, a.name as application_name, e.name, e.description,
       e.payload_schema
     from registered_event e join catalog_application a on a.application_id = e.application_id
     where e.space_id = $1 and e.retired_at is null
     order by a.name, a.application_id, e.name`,
    [spaceId],
  );
}

/** Finds registered events by words, in no order. */
export function findEvents(
  sql: Sql,
  spaceId: string,
  text: string,
): Promise<{ applicationId: string; name: string; description: string }[]> {
  return rows(
    sql,
    `select application_id, name, description from registered_event
     where space_id = $1 and retired_at is null
       and search_terms(space_id, name || ' ' || description) @@ search_query($1, $2)
     limit ${MOST_FOUND}`,
    [spaceId, text],
  );
}

/** An event of an application, registered at present or in the past. */
export interface EventKey {
  applicationId: string;
  name: string;
}

/** Lists the events that a space has or had, those of an application or of a name. */
export function listEventKeys(
  sql: Sql,
  spaceId: string,
  { applicationId, name }: { applicationId: string | null; name: string | null },
): Promise<EventKey[]> {
  const conditions = ['space_id = $1'];
  const values = [spaceId];
  if (applicationId !== null) conditions.push(`application_id = $${values.push(applicationId)}`);
  if (name !== null) conditions.push(`name = $${values.push(name)}`);
  return rows(
    sql,
    `select application_id, name from registered_event where ${conditions.join(' and ')}`,
    values,
  );
}

/** Returns those of the events that are registered at present. */
export function listRegistered(sql: Sql, keys: readonly EventKey[]): Promise<EventKey[]> {
  return rows(
    sql,
    `select application_id, name from registered_event
     where (application_id, name) in (select * from unnest($1::uuid[], $2::text[])) and retired_at is null`,
    [keys.map(({ applicationId }) => applicationId), keys.map(({ name }) => name)],
  );
}
