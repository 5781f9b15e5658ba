import type { SavedViewPage } from '@platform/contracts';
import { In, LessThan, Not, Raw, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../auth/principals/resource-scope.ts';
import { rows } from '../infra/database/rows.ts';
import { SavedViewEntity } from './saved-view.entity.ts';

export interface ViewOwner {
  spaceId: string;
  userId: string;
}

/** Lets one transaction at a time add views of a person, or remove the person from the space. */
export async function lockViews(tx: EntityManager, { spaceId, userId }: ViewOwner): Promise<void> {
  await rows(tx, "select pg_advisory_xact_lock(hashtext('saved views'), hashtext($1))", [
    `${spaceId} ${userId}`,
  ]);
}

/** Lists the person's own views and those that are shared with the space, newest first. */
export function listViews(
  tx: EntityManager,
  { spaceId, userId }: ViewOwner,
  pages: readonly SavedViewPage[],
  before: string | null,
  limit: number,
): Promise<SavedViewEntity[]> {
  const some = { spaceId, page: In(pages), ...(before !== null && { id: LessThan(before) }) };
  return tx.find(SavedViewEntity, {
    where: [
      { ...some, ownerUserId: userId },
      { ...some, shared: true },
    ],
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Locks a view that the person sees. Throws NOT_FOUND, or FORBIDDEN for a view of another space. */
export async function lockView(
  tx: EntityManager,
  { spaceId, userId }: ViewOwner,
  id: string,
  pages: readonly SavedViewPage[],
): Promise<SavedViewEntity> {
  const label = `View ${id}`;
  const some = { spaceId, page: In(pages), id: requireUuid(id, label) };
  const view = await tx.findOne(SavedViewEntity, {
    where: [
      { ...some, ownerUserId: userId },
      { ...some, shared: true },
    ],
    lock: { mode: 'pessimistic_write' },
  });
  if (view !== null) return view;
  throw await missingOrForeign(tx, SavedViewEntity, { id, spaceId: Not(spaceId) }, label);
}

export function findOwnView(
  tx: EntityManager,
  { spaceId, userId }: ViewOwner,
  page: SavedViewPage,
  name: string,
): Promise<SavedViewEntity | null> {
  const named = Raw((column) => `lower(${column}) = lower(:name)`, { name });
  return tx.findOneBy(SavedViewEntity, { spaceId, ownerUserId: userId, page, name: named });
}

export function countViews(
  tx: EntityManager,
  { spaceId, userId }: ViewOwner,
  page: SavedViewPage,
): Promise<number> {
  return tx.countBy(SavedViewEntity, { spaceId, ownerUserId: userId, page });
}

/** Deletes the private views of a person in a space. */
export async function deletePrivateViews(tx: EntityManager, { spaceId, userId }: ViewOwner): Promise<void> {
  await tx.delete(SavedViewEntity, { spaceId, ownerUserId: userId, shared: false });
}
