import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { forbidden, notFound, type AppError } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';

/**
 * Returns the error for a resource that a read by (space_id, id) did not find: FORBIDDEN if `where` matches in another
 * space, otherwise NOT_FOUND. `label` begins the sentence, such as `Agent 0198…`.
 */
export async function missingOrForeign<Entity extends ObjectLiteral>(
  tx: EntityManager,
  entity: EntityTarget<Entity>,
  where: FindOptionsWhere<Entity>,
  label: string,
): Promise<AppError> {
  const isForeign = await tx.existsBy(entity, where);
  return isForeign ? forbidden(`You have no access to ${label}`) : notFound(`${label} does not exist`);
}

/** Returns the id. Throws NOT_FOUND if it is not a UUID: no query accepts such an id. */
export function requireUuid(id: string, label: string): string {
  if (!isUuid(id)) throw notFound(`${label} does not exist`);
  return id;
}
