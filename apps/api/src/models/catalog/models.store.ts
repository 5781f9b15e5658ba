import { IsNull, LessThan, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import type { Database } from '../../infra/database/database.ts';
import { columnsOf, insertRowIfAbsent, toEntities, updateRow } from '../../infra/database/entity-rows.ts';
import { exactlyOne, preparedRecords } from '../../infra/database/rows.ts';
import { ModelEntity, type ModelDefinition } from './model.entity.ts';

/** What is stored about the server of a model besides its definition. */
export type ServerColumns = Pick<ModelEntity, 'sealedApiKey' | 'loopbackAllowed' | 'fromEnvironment'>;

export interface ModelName {
  spaceId: string;
  name: string;
}

/** The stored models of a space with ids below `before`, newest first. */
export function listModels(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<ModelEntity[]> {
  return tx.find(ModelEntity, {
    where: { spaceId, deletedAt: IsNull(), ...(before !== null && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** The names of the stored models of a space, newest first. */
export async function listNames(
  tx: EntityManager,
  spaceId: string,
): Promise<{ name: string; createdAt: Date }[]> {
  const models = await tx.find(ModelEntity, {
    select: { id: true, definition: { name: true }, createdAt: true },
    where: { spaceId, deletedAt: IsNull() },
    order: { id: 'DESC' },
  });
  return models.map(({ definition, createdAt }) => ({ name: definition.name, createdAt }));
}

/** Throws NOT_FOUND, or FORBIDDEN for a model of another space. */
export async function getModel(
  tx: EntityManager,
  spaceId: string,
  id: string,
  { lock = false } = {},
): Promise<ModelEntity> {
  const label = `Model ${id}`;
  const model = await tx.findOne(ModelEntity, {
    where: { spaceId, id: requireUuid(id, label), deletedAt: IsNull() },
    ...(lock && { lock: { mode: 'pessimistic_write' } }),
  });
  if (model === null) throw await missingOrForeign(tx, ModelEntity, { id, deletedAt: IsNull() }, label);
  return model;
}

/** The model of that name if the environment added it; with `lock`, locked until the transaction ends. */
export function findModelOfEnvironment(
  manager: EntityManager,
  spaceId: string,
  name: string,
  { lock = false } = {},
): Promise<ModelEntity | null> {
  return manager.findOne(ModelEntity, {
    where: { spaceId, definition: { name }, fromEnvironment: true, deletedAt: IsNull() },
    ...(lock && { lock: { mode: 'pessimistic_write' as const } }),
  });
}

/** As `getModel`, and locks the row until the transaction ends. */
export function lockModel(tx: EntityManager, spaceId: string, id: string): Promise<ModelEntity> {
  return getModel(tx, spaceId, id, { lock: true });
}

/**
 * For each name, the model of that name; another model of the space if it has none of that name; null if the space has no
 * model at all. Every model call reads it.
 */
export async function findNamed(
  database: Database,
  names: readonly ModelName[],
): Promise<(ModelEntity | null)[]> {
  // Many calls of one moment usually name the same few models.
  const asked = new Map(names.map((one) => [keyOf(one), one]));
  const keys = [...asked.keys()];
  const distinct = [...asked.values()];
  const found = await preparedRecords<{ position: number }>(
    database,
    'models.named',
    `select asked.position::int as position, found.*
     from unnest((select $1::uuid[]), (select $2::text[])) with ordinality as asked (space_id, name, position)
     cross join lateral (
       select ${columnsOf(database, ModelEntity)} from model
       where space_id = asked.space_id and deleted_at is null order by model.name = asked.name desc limit 1
     ) as found`,
    [distinct.map(({ spaceId }) => spaceId), distinct.map(({ name }) => name)],
  );
  const models = toEntities(database, ModelEntity, found);
  const byKey = new Map(found.map(({ position }, i) => [keys[position - 1], models[i]]));
  return names.map((one) => byKey.get(keyOf(one)) ?? null);
}

const keyOf = ({ spaceId, name }: ModelName) => `${spaceId} ${name}`;

export async function newModelId(tx: EntityManager): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
  return id;
}

/** Returns null if the space already has a model of that name. */
export function insertModel(
  tx: EntityManager,
  spaceId: string,
  id: string,
  definition: ModelDefinition,
  server: ServerColumns,
): Promise<ModelEntity | null> {
  return insertRowIfAbsent(tx, ModelEntity, { id, spaceId, definition, ...server });
}

/** Violates `model_name_key` if the new name is taken. */
export function updateModel(
  tx: EntityManager,
  { spaceId, id }: ModelEntity,
  definition: ModelDefinition,
  server: ServerColumns,
): Promise<ModelEntity> {
  const change = { definition, ...server, updatedAt: () => 'clock_timestamp()' };
  return updateRow(tx, ModelEntity, { spaceId, id }, change);
}

/** Keeps the row, but not the key. */
export async function deleteModel(tx: EntityManager, { spaceId, id }: ModelEntity): Promise<void> {
  const change = { deletedAt: () => 'clock_timestamp()', sealedApiKey: null };
  await tx.update(ModelEntity, { spaceId, id }, change);
}
