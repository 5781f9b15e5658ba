import { Injectable } from '@nestjs/common';
import {
  ADMIN_VIEW_PAGES,
  canonicalQuery,
  SAVED_VIEW_LIMITS,
  SAVED_VIEW_PAGES,
  type AuditAction,
  type CreateSavedViewRequest,
  type ListSavedViewsQuery,
  type Page,
  type SavedView,
  type SavedViewPage,
  type UpdateSavedViewRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit/audit.ts';
import { IdentityService } from '../auth/people/identity.service.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { insertRow, updateRow } from '../infra/database/entity-rows.ts';
import { violates } from '../infra/database/rows.ts';
import { conflict, forbidden, invalid } from '../infra/errors/app-error.ts';
import { Cursors } from '../infra/requests/cursors.ts';
import { SavedViewEntity } from './saved-view.entity.ts';
import { countViews, findOwnView, listViews, lockView, lockViews } from './saved-views.store.ts';

/** Keeps the filters of lists by name: for a person, or for the space. */
@Injectable()
export class SavedViewsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async list(
    by: UserPrincipal,
    { page, limit, cursor }: ListSavedViewsQuery & { limit: number },
  ): Promise<Page<SavedView>> {
    if (page !== undefined) assertOpens(by, page);
    const filter = { savedViewsOf: [by.spaceId, by.userId], ...(page !== undefined && { page }) };
    const views = await listViews(
      this.database.manager,
      by,
      page === undefined ? pagesOf(by) : [page],
      this.cursors.idAfter(cursor, filter),
      limit + 1,
    );
    return this.cursors.page(views, limit, filter, ({ id }) => [id], toView);
  }

  /** The same view again returns the one that is there, so a call whose response was lost can be repeated. */
  async create(call: AuditedCall, request: CreateSavedViewRequest): Promise<SavedView> {
    const { by } = call;
    const { page } = request;
    const shared = request.shared ?? false;
    const [name, query] = [request.name.trim(), parseQuery(request.query)];
    assertOpens(by, page);
    if (shared) assertShares(by);
    return this.save(name, async (tx) => {
      await lockViews(tx, by);
      // A removal may have been faster, and would have deleted it.
      if (!(await this.identity.isMember(by.spaceId, by.userId, tx)))
        throw forbidden('You are no longer a member of the space');
      const same = await findOwnView(tx, by, page, name);
      if (same?.name === name && same.query === query && same.shared === shared) return same;
      if (same !== null) throw nameTaken(name);
      if ((await countViews(tx, by, page)) >= SAVED_VIEW_LIMITS.perPage)
        throw conflict(
          `You have ${SAVED_VIEW_LIMITS.perPage} views of this page, which is the most that a person can have; delete one first`,
        );
      const values = { spaceId: by.spaceId, ownerUserId: by.userId, page, name, query, shared };
      const view = await insertRow(tx, SavedViewEntity, values);
      if (shared) await audit(tx, call, 'saved-view.share', view);
      return view;
    });
  }

  update(call: AuditedCall, id: string, change: UpdateSavedViewRequest): Promise<SavedView> {
    const { by } = call;
    const [name, query] = [change.name?.trim(), change.query == null ? undefined : parseQuery(change.query)];
    return this.save(name ?? '', async (tx) => {
      const before = await lockView(tx, by, id, pagesOf(by));
      const shared = change.shared ?? before.shared;
      if (before.shared || shared) assertShares(by);
      if (before.shared && !shared && before.ownerUserId !== by.userId)
        throw forbidden('Only the person who made the view can stop sharing it; you can delete it');
      const view = await updateRow(
        tx,
        SavedViewEntity,
        { id: before.id },
        {
          ...(name !== undefined && { name }),
          ...(query !== undefined && { query }),
          shared,
          updatedAt: () => 'clock_timestamp()',
        },
      );
      const isShared = before.shared || shared;
      const action =
        before.shared === shared ? 'saved-view.update' : shared ? 'saved-view.share' : 'saved-view.unshare';
      if (isShared) await audit(tx, call, action, view);
      return view;
    });
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const view = await lockView(tx, call.by, id, pagesOf(call.by));
      if (view.shared) assertShares(call.by);
      await tx.delete(SavedViewEntity, { id: view.id });
      if (view.shared) await audit(tx, call, 'saved-view.delete', view);
    });
  }

  private async save(
    name: string,
    work: (tx: EntityManager) => Promise<SavedViewEntity>,
  ): Promise<SavedView> {
    try {
      return toView(await this.database.transaction(work));
    } catch (error) {
      if (violates(error, 'saved_view_name')) throw nameTaken(name);
      if (violates(error, 'saved_view_shared_name'))
        throw conflict('name must be unique: the space already shares a view of this page with this name');
      throw error;
    }
  }
}

/** The pages that the person may open. */
function pagesOf({ role }: UserPrincipal): readonly SavedViewPage[] {
  return role === 'ADMIN'
    ? SAVED_VIEW_PAGES
    : SAVED_VIEW_PAGES.filter((page) => !ADMIN_VIEW_PAGES.includes(page));
}

function assertOpens(by: UserPrincipal, page: SavedViewPage): void {
  if (!pagesOf(by).includes(page)) throw forbidden(`Only admins of the space may open the page ${page}`);
}

/** A shared view belongs to the space, also while its owner is not an admin any more. */
function assertShares({ role }: UserPrincipal): void {
  if (role !== 'ADMIN')
    throw forbidden('Only admins of the space may share views, and change or delete shared ones');
}

/** Throws VALIDATION_ERROR if the filters are too long once they are written in the canonical form. */
function parseQuery(query: string): string {
  const canonical = canonicalQuery(query);
  if (canonical.length > SAVED_VIEW_LIMITS.queryChars)
    throw invalid(`query must be at most ${SAVED_VIEW_LIMITS.queryChars} characters when it is URL-encoded`);
  return canonical;
}

const nameTaken = (name: string) =>
  conflict(`name must be unique: you already have a view of this page named ${name}`);

async function audit(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, page, name }: SavedViewEntity,
): Promise<void> {
  const target = { targetType: 'saved_view', targetId: id };
  await recordAudit(tx, by, { action, ...target, details: { name, page }, requestId });
}

function toView({ createdAt, updatedAt, ...view }: SavedViewEntity): SavedView {
  return { ...view, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
