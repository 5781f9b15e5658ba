import type { CallPolicy, ToolListing } from '@platform/contracts';
import { In, IsNull, type EntityManager, type ObjectLiteral } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import type { Database } from '../../infra/database/database.ts';
import {
  columnsOf,
  insertRowIfAbsent,
  toEntities,
  updateRow,
  type ColumnValues,
} from '../../infra/database/entity-rows.ts';
import {
  exactlyOne,
  firstRow,
  preparedRecords,
  preparedRows,
  rows,
  type PreparedSql,
  type Sql,
} from '../../infra/database/rows.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import {
  byName,
  byTime,
  selectPart,
  type ListPart,
  type NamedList,
} from '../../infra/requests/named-lists.ts';
import { MOST_FOUND } from '../../search/search.registry.ts';
import type { EffectFacts } from '../calls/idempotency.ts';
import { ToolMethodEntity } from './tool-method.entity.ts';
import { ToolEntity } from './tool.entity.ts';

/** How tools are searched and sorted. Every search reads all of the space, and descriptions may be long. */
export const TOOL_LIST: NamedList<ToolListing> = {
  id: 'tool.id',
  idOf: ({ id }) => id,
  text: 'tool.name',
  keys: {
    name: byName('tool.name', ({ name }) => name),
    updatedAt: byTime('tool.updated_at', ({ updatedAt }) => updatedAt ?? ''),
  },
};

export function listTools(tx: EntityManager, spaceId: string, part: ListPart): Promise<ToolEntity[]> {
  const query = tx.createQueryBuilder(ToolEntity, 'tool').where({ spaceId, deletedAt: IsNull() });
  return selectPart(query, TOOL_LIST, part).getMany();
}

/** Finds tools by words or by id, in no order. */
export function findTools(
  sql: Sql,
  spaceId: string,
  { text = null, id = null }: { text?: string | null; id?: string | null },
): Promise<Pick<ToolEntity, 'id' | 'name' | 'description'>[]> {
  const sought =
    id === null
      ? `search_terms(space_id, name || ' ' || description) @@ search_query($1, $2)`
      : 'id = $2::uuid';
  return rows(
    sql,
    `select id, name, description from tool
     where space_id = $1 and deleted_at is null and ${sought} limit ${MOST_FOUND}`,
    [spaceId, id ?? text],
  );
}

/** Finds methods by words, in no order. */
export function findMethods(
  sql: Sql,
  spaceId: string,
  text: string,
): Promise<{ toolId: string; toolName: string; name: string; httpMethod: string; path: string }[]> {
  return rows(
    sql,
    `select m.tool_id, t.name as tool_name, m.name, m.http_method, m.path
     from (select tool_id, name, http_method, path from tool_method
       where space_id = $1 and search_terms(space_id, name || ' ' || description || ' ' || path) @@ search_query($1, $2)
       limit ${MOST_FOUND}) m
     join tool t on t.id = m.tool_id`,
    [spaceId, text],
  );
}

export async function countMethods(sql: Sql, toolIds: string[]): Promise<Map<string, number>> {
  const counted = await rows<{ id: string; count: number }>(
    sql,
    'select tool_id as id, count(*)::int as count from tool_method where tool_id = any($1::uuid[]) group by tool_id',
    [toolIds],
  );
  return new Map(counted.map(({ id, count }) => [id, count]));
}

/** The tools that call with a connection, or with each person's own connection with a provider. */
export function listConnected(
  sql: Sql,
  spaceId: string,
  { connectionId, providerId }: { connectionId?: string; providerId?: string },
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return rows(
    sql,
    `select id, name from tool
     where space_id = $1 and auth ->> 'type' = 'connection' and deleted_at is null
       and (auth ->> 'connectionId' = $2 or auth ->> 'providerId' = $3)
     order by id limit $4`,
    [spaceId, connectionId ?? null, providerId ?? null, limit],
  );
}

/** Throws NOT_FOUND, or FORBIDDEN for a tool of another space. */
export async function getTool(
  tx: EntityManager,
  spaceId: string,
  id: string,
  { lock = false } = {},
): Promise<ToolEntity> {
  const tool = await tx.findOne(ToolEntity, {
    where: { spaceId, id: requireUuid(id, `Tool ${id}`), deletedAt: IsNull() },
    ...(lock && { lock: { mode: 'pessimistic_write' } }),
  });
  if (tool === null) throw await missingOrForeignTool(tx, id);
  return tool;
}

/** As `getTool`, and locks the row: every change of a tool or its methods starts with it. */
export function lockTool(tx: EntityManager, spaceId: string, id: string): Promise<ToolEntity> {
  return getTool(tx, spaceId, id, { lock: true });
}

export async function newToolId(tx: EntityManager): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
  return id;
}

/** Returns null if the space already has a tool of that name. */
export function insertTool(tx: EntityManager, values: ColumnValues<ToolEntity>): Promise<ToolEntity | null> {
  return insertRowIfAbsent(tx, ToolEntity, values);
}

/** `updatedAt` becomes later than it was, so that it tells versions apart. Violates `tool_name` if the new name is taken. */
export function updateTool(
  tx: EntityManager,
  { spaceId, id }: ToolEntity,
  change: ColumnValues<ToolEntity>,
): Promise<ToolEntity> {
  const updatedAt = () => `greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;
  return updateRow(tx, ToolEntity, { spaceId, id }, { ...change, updatedAt });
}

/** Keeps the row, but neither its methods nor its secret. */
export async function deleteTool(tx: EntityManager, { spaceId, id }: ToolEntity): Promise<void> {
  await tx.delete(ToolMethodEntity, { spaceId, toolId: id });
  await tx.update(ToolEntity, { spaceId, id }, { deletedAt: () => 'clock_timestamp()', authSecret: null });
}

/** The methods of a tool, in the order in which they were added. */
export function listMethods(tx: EntityManager, { spaceId, id }: ToolEntity): Promise<ToolMethodEntity[]> {
  return tx.find(ToolMethodEntity, { where: { spaceId, toolId: id }, order: { id: 'ASC' } });
}

/** The names of the methods of a tool in lowercase, and the bytes that they take. */
export async function measureMethods(
  sql: Sql,
  { id }: ToolEntity,
): Promise<{ names: string[]; bytes: number }> {
  const measured = await exactlyOne<{ names: string[] | null; bytes: string | null }>(
    sql,
    `select array_agg(lower(name)) as names,
            sum(octet_length(description) + octet_length(input_schema::text) + octet_length(output_schema::text)
              + octet_length(bindings::text) + octet_length(coalesce(imported::text, ''))) as bytes
     from tool_method where tool_id = $1`,
    [id],
  );
  return { names: measured.names ?? [], bytes: Number(measured.bytes ?? 0) };
}

/** Throws NOT_FOUND. */
export async function getMethod(
  tx: EntityManager,
  tool: ToolEntity,
  name: string,
): Promise<ToolMethodEntity> {
  // PostgreSQL refuses such a text.
  const method = name.includes('\0')
    ? null
    : await tx.findOne(ToolMethodEntity, { where: { spaceId: tool.spaceId, toolId: tool.id, name } });
  if (method === null) throw noMethod(tool, name);
  return method;
}

/** A tool with one of its methods, which every call reads. Throws NOT_FOUND, or FORBIDDEN for a tool of another space. */
export async function getCalled(
  database: Database,
  spaceId: string,
  toolId: string,
  name: string,
): Promise<{ tool: ToolEntity; method: ToolMethodEntity }> {
  const id = requireUuid(toolId, `Tool ${toolId}`);
  const found = await preparedRecords<ObjectLiteral>(
    database,
    'tools.called',
    `select ${columnsOf(database, ToolEntity, 't')}, ${columnsOf(database, ToolMethodEntity, 'm')}
     from tool t left join tool_method m
       on m.space_id = t.space_id and m.tool_id = t.id and lower(m.name) = lower($3) and m.name = $3
     where t.space_id = $1 and t.id = $2 and t.deleted_at is null`,
    // PostgreSQL refuses such a text, and no method has an empty name.
    [spaceId, id, name.includes('\0') ? '' : name],
  );
  const [tool] = toEntities(database, ToolEntity, found, 't');
  if (tool === undefined) throw await missingOrForeignTool(database.manager, id);
  const [method] = toEntities(database, ToolMethodEntity, found, 'm');
  // Null without a method.
  if (!method?.id) throw noMethod(tool, name);
  return { tool, method };
}

const missingOrForeignTool = (tx: EntityManager, id: string) =>
  missingOrForeign(tx, ToolEntity, { id, deletedAt: IsNull() }, `Tool ${id}`);

const noMethod = ({ name: toolName }: ToolEntity, name: string) =>
  notFound(`The tool ${toolName} has no method ${name}`);

/** Returns null for a method that does not exist. */
export function findEffectFacts(
  sql: Sql,
  spaceId: string,
  toolId: string,
  name: string,
): Promise<EffectFacts | null> {
  return findMethodFields(sql, 't.idempotency, t.redirects, t.auth, m.acts, m.bindings', [
    spaceId,
    toolId,
    name,
  ]);
}

/** Returns null for a method that does not exist. */
export async function findOutputSchema(
  sql: Sql,
  spaceId: string,
  toolId: string,
  name: string,
): Promise<Record<string, unknown> | null> {
  const found = await findMethodFields<{ outputSchema: Record<string, unknown> }>(sql, 'm.output_schema', [
    spaceId,
    toolId,
    name,
  ]);
  return found?.outputSchema ?? null;
}

/** Reads only these columns, because schemas are large. */
async function findMethodFields<T extends object>(
  sql: Sql,
  columns: string,
  [spaceId, toolId, name]: [string, string, string],
): Promise<T | null> {
  if (!isUuid(toolId) || name.includes('\0')) return null;
  return firstRow<T>(
    sql,
    `select ${columns}
     from tool t join tool_method m on m.tool_id = t.id and lower(m.name) = lower($3) and m.name = $3
     where t.space_id = $1 and t.id = $2 and t.deleted_at is null`,
    [spaceId, toolId, name],
  );
}

/** Inserts methods; their ids keep their order. */
export async function insertMethods(
  tx: EntityManager,
  { spaceId, id }: ToolEntity,
  methods: Partial<ToolMethodEntity>[],
): Promise<void> {
  if (methods.length === 0) return;
  const values = methods.map((method) => ({ ...method, spaceId, toolId: id }));
  await tx
    .createQueryBuilder()
    .insert()
    .into(ToolMethodEntity)
    .values(values as object[])
    .updateEntity(false)
    .execute();
}

export function updateMethod(
  tx: EntityManager,
  { id, spaceId }: ToolMethodEntity,
  change: ColumnValues<ToolMethodEntity>,
): Promise<ToolMethodEntity> {
  return updateRow(
    tx,
    ToolMethodEntity,
    { spaceId, id },
    { ...change, updatedAt: () => 'clock_timestamp()' },
  );
}

export async function deleteMethods(
  tx: EntityManager,
  { spaceId, id }: ToolEntity,
  methods: readonly ToolMethodEntity[],
): Promise<void> {
  if (methods.length === 0) return;
  await tx.delete(ToolMethodEntity, { spaceId, toolId: id, id: In(methods.map((method) => method.id)) });
}

/** A tool that an agent or a step lists. */
export interface ListedTool {
  toolId: string;
  /** Null means all methods. */
  methods: string[] | null;
}

/** For each listed tool, whether it exists, and which of its listed methods do not. */
export function findMissing(
  sql: Sql,
  spaceId: string,
  listed: ListedTool[],
): Promise<{ position: number; exists: boolean; missing: string[] | null }[]> {
  return rows(
    sql,
    `select listed.position, tool.id is not null as exists,
            (select array_agg(wanted.name)
             from json_array_elements_text(case when json_typeof(listed.methods) = 'array' then listed.methods else '[]' end)
               as wanted (name)
             where not exists (
               select 1 from tool_method
               where tool_id = tool.id and lower(tool_method.name) = lower(wanted.name) and tool_method.name = wanted.name)
            ) as missing
     from json_to_recordset($2::json) as listed (position int, "toolId" uuid, methods json)
     left join tool on tool.space_id = $1 and tool.id = listed."toolId" and tool.deleted_at is null`,
    [spaceId, positioned(listed)],
  );
}

/** A method as a model is offered it. */
export interface OfferedRow {
  toolId: string;
  toolName: string;
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  acts: boolean;
  policy: CallPolicy | null;
  kind: 'http' | 'mcp';
}

type OfferedNameRow = Pick<OfferedRow, 'toolId' | 'toolName' | 'name'>;

/** How much of what is offered can be listed. */
export interface OfferLimits {
  methods: number;
  /** Of their schemas and descriptions together. */
  bytes: number;
}

const OFFERED = `
  from json_to_recordset($2::json) as listed (position int, "toolId" uuid, methods json)
  join tool on tool.space_id = $1 and tool.id = listed."toolId" and tool.deleted_at is null
  join tool_method method on method.tool_id = tool.id and method.enabled and method.pending is null
    and (coalesce(json_typeof(listed.methods), 'null') <> 'array'
      or method.name in (select json_array_elements_text(listed.methods)))`;

/** The enabled methods of listed tools that wait for no approval, in the order of the list. Measure them before. */
export function listOffered(sql: Sql, spaceId: string, listed: ListedTool[]): Promise<OfferedRow[]> {
  return rows(
    sql,
    `select tool.id as tool_id, tool.name as tool_name, method.name, method.description,
            method.input_schema, method.acts, method.policy, tool.kind
     ${OFFERED} order by listed.position, method.id`,
    [spaceId, positioned(listed)],
  );
}

/** The first methods of what is offered, and whether they fit with all that come before them. */
const FIRST_OFFERED = `
  with first as (
    select tool.id as tool_id, tool.name as tool_name, method.name, method.description, method.input_schema,
           method.acts, method.policy, tool.kind, listed.position, method.id
    ${OFFERED} order by listed.position, method.id limit $3
  ), measured as (
    select *, sum(octet_length(input_schema::text) + octet_length(description)) over place <= $4 as fits
    from first window place as (order by position, id)
  )`;

/** The first methods that `listOffered` would return. Those that do not fit come without description and schema. */
export function listFirstOffered(
  sql: Sql,
  spaceId: string,
  listed: ListedTool[],
  { methods, bytes }: OfferLimits,
): Promise<(OfferedRow & { fits: boolean })[]> {
  return rows(
    sql,
    `${FIRST_OFFERED}
     select tool_id, tool_name, name, acts, policy, kind, fits, case when fits then description else '' end as description,
            case when fits then input_schema else '{}' end as input_schema
     from measured order by position, id`,
    [spaceId, positioned(listed), methods, bytes],
  );
}

/** The first of the methods that `listOffered` would return and that are not among the first that fit, and their number. */
export function listUnfitting(
  sql: Sql,
  spaceId: string,
  listed: ListedTool[],
  { methods, bytes }: OfferLimits,
  limit: number,
): Promise<(OfferedNameRow & { isFirst: boolean; count: number })[]> {
  return rows(
    sql,
    `${FIRST_OFFERED}
     select tool.id as tool_id, tool.name as tool_name, method.name, measured.id is not null as is_first,
            count(*) over ()::int as count
     ${OFFERED} left join measured on measured.id = method.id
     where measured.fits is not true order by listed.position, method.id limit $5`,
    [spaceId, positioned(listed), methods, bytes, limit],
  );
}

/** The names of the first methods that `listOffered` would return, in their order. Every call by name reads it. */
export function listOfferedNames(
  sql: PreparedSql,
  spaceId: string,
  listed: ListedTool[],
  limit: number,
): Promise<OfferedNameRow[]> {
  return preparedRows(
    sql,
    'tools.offered-names',
    `select tool.id as tool_id, tool.name as tool_name, method.name
     ${OFFERED} order by listed.position, method.id limit $3`,
    [spaceId, positioned(listed), limit],
  );
}

/** How many methods `listOffered` returns, and the bytes of their schemas and descriptions. */
export async function measureOffered(
  sql: Sql,
  spaceId: string,
  listed: ListedTool[],
): Promise<{ count: number; bytes: number }> {
  return exactlyOne(
    sql,
    `select count(*)::int as count,
            coalesce(sum(octet_length(method.input_schema::text) + octet_length(method.description)), 0)::float8 as bytes
     ${OFFERED}`,
    [spaceId, positioned(listed)],
  );
}

const positioned = (listed: ListedTool[]) =>
  JSON.stringify(listed.map(({ toolId, methods }, position) => ({ toolId, methods, position })));
