import type { EntityManager } from 'typeorm';
import { missingOrForeign } from '../auth/resource-scope.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { isUuid } from '../infra/http/ids.ts';
import type { ModelFields } from './model-fields.ts';
import { MODEL_COLUMNS, type ModelRow } from './model-row.ts';

/** What is stored of a model's server beside the fields that admins see. */
export type ServerColumns = Pick<ModelRow, 'sealedApiKey' | 'loopbackAllowed'>;

/** The stored models of a space below an id, newest first. */
export function listModels(
  sql: Sql,
  spaceId: string,
  below: string | null,
  count: number,
): Promise<ModelRow[]> {
  return rows<ModelRow>(
    sql,
    `select ${MODEL_COLUMNS} from model
     where space_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [spaceId, below, count],
  );
}

/** Throws NOT_FOUND, or FORBIDDEN for a model of another space. */
export async function findModel(sql: Sql, spaceId: string, id: string, lock = ''): Promise<ModelRow> {
  const row = isUuid(id)
    ? await firstRow<ModelRow>(
        sql,
        `select ${MODEL_COLUMNS} from model where space_id = $1 and id = $2 and deleted_at is null ${lock}`,
        [spaceId, id],
      )
    : null;
  if (row === null) throw await missingOrForeign(sql, 'model', id, `Model ${id}`);
  return row;
}

/** As `findModel`; nobody else changes the row until the transaction ends. */
export function lockModel(tx: EntityManager, spaceId: string, id: string): Promise<ModelRow> {
  return findModel(tx, spaceId, id, 'for update');
}

export async function newModelId(tx: EntityManager): Promise<string> {
  const [row] = await rows<{ id: string }>(tx, 'select uuid_v7() as id');
  if (row === undefined) throw new Error('The database made no id');
  return row.id;
}

/** Null where the space has a model of that name already. */
export function insertModel(
  tx: EntityManager,
  spaceId: string,
  id: string,
  fields: ModelFields,
  server: ServerColumns,
): Promise<ModelRow | null> {
  return firstRow<ModelRow>(
    tx,
    `insert into model (space_id, id, api_key, loopback_allowed, name, provider, base_url, upstream_model,
       context_window, max_output_tokens, capabilities, input_per_million, output_per_million,
       cached_input_per_million)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (space_id, name) where deleted_at is null do nothing
     returning ${MODEL_COLUMNS}`,
    [spaceId, id, server.sealedApiKey, server.loopbackAllowed, ...valuesOf(fields)],
  );
}

/** Fails on `model_name_key` where the new name is taken. */
export async function updateModel(
  tx: EntityManager,
  spaceId: string,
  id: string,
  fields: ModelFields,
  server: ServerColumns,
): Promise<ModelRow> {
  const row = await firstRow<ModelRow>(
    tx,
    `update model set api_key = $3, loopback_allowed = $4, name = $5, provider = $6, base_url = $7,
       upstream_model = $8, context_window = $9, max_output_tokens = $10, capabilities = $11,
       input_per_million = $12, output_per_million = $13, cached_input_per_million = $14, updated_at = clock_timestamp()
     where space_id = $1 and id = $2
     returning ${MODEL_COLUMNS}`,
    [spaceId, id, server.sealedApiKey, server.loopbackAllowed, ...valuesOf(fields)],
  );
  if (row === null) throw new Error('The locked model is gone');
  return row;
}

export async function deleteModel(tx: EntityManager, spaceId: string, id: string): Promise<void> {
  // The row stays, the key does not.
  await tx.query(
    'update model set deleted_at = clock_timestamp(), api_key = null where space_id = $1 and id = $2',
    [spaceId, id],
  );
}

function valuesOf(fields: ModelFields): unknown[] {
  const { price } = fields;
  return [
    fields.name,
    fields.provider,
    fields.baseUrl,
    fields.upstreamModel,
    fields.contextWindow,
    fields.maxOutputTokens,
    JSON.stringify(fields.capabilities),
    price.inputPerMillion,
    price.outputPerMillion,
    price.cachedInputPerMillion,
  ];
}
