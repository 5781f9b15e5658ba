import { Injectable } from '@nestjs/common';
import type {
  AccountBalance,
  GrantRequest,
  Page,
  UsageBalance,
  UsageEntry,
  UsageSummary,
  UsageSummaryQuery,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit/audit.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { IdentityService } from '../auth/people/identity.service.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { forbidden } from '../infra/errors/app-error.ts';
import { Cursors } from '../infra/requests/cursors.ts';
import { uuidV7 } from '../infra/runtime/uuid-v7.ts';
import {
  loadAccounts,
  lockAccounts,
  postEntries,
  type AccountKey,
  type AccountState,
  type Grantor,
  type NewEntry,
} from './ledger.store.ts';
import type { EntryEntity } from './entry.entity.ts';
import { getEntry, listEntries, sumCharges, toEntry } from './reports.store.ts';
import { arrangeGroups } from './summary.ts';
import type { UsageEntryQueryDto } from './usage.dto.ts';

/** How long a grant is retried while the database is unavailable. */
const RETRY_MS = 5_000;

/** The ledger as people see it, and the grants of admins. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async getBalance({ spaceId, userId }: UserPrincipal): Promise<UsageBalance> {
    const [space, user] = await loadAccounts(this.database, spaceId, userId);
    if (!space || !user) throw new Error('An account is missing');
    return { user: toBalance(user), space: toBalance(space) };
  }

  async listEntries(caller: UserPrincipal, query: UsageEntryQueryDto): Promise<Page<UsageEntry>> {
    const { limit, cursor, source, model, from, to } = query;
    const { spaceId } = caller;
    const filter = { userId: visibleUser(caller, query.userId), source, model, from, to };
    const bound = { usageOf: spaceId, ...filter };
    const [createdAt, id] = this.cursors.decode(cursor, bound) ?? [];
    const after = createdAt === undefined ? null : { createdAt: String(createdAt), id: String(id) };
    const entries = await listEntries(this.database.manager, spaceId, filter, after, limit + 1);
    const people = await this.loadPeople(entries);
    return this.cursors.page(
      entries,
      limit,
      bound,
      (row) => [row.createdAt.toISOString(), row.id],
      (row) => toEntry(row, people),
    );
  }

  async summarize(caller: UserPrincipal, query: UsageSummaryQuery): Promise<UsageSummary> {
    const { window = '7d', groupBy = 'day' } = query;
    const seen = visibleUser(caller, query.userId);
    const sums = await sumCharges(this.database, caller.spaceId, seen, window, groupBy);
    const overall = sums.find(({ isTotal }) => isTotal);
    if (!overall) throw new Error('The total is missing');
    const { key: _, isTotal: __, from, to, ...total } = overall;
    const used = sums
      .filter(({ isTotal }) => !isTotal)
      .map(({ isTotal: _, from: __, to: ___, ...group }) => group);
    const groups = arrangeGroups(used, groupBy, from, to);
    const people =
      groupBy === 'user' ? await this.identity.findUsersByIds(groups.flatMap(({ key }) => key ?? [])) : null;
    return {
      window,
      groupBy,
      from: from.toISOString(),
      to: to.toISOString(),
      total,
      groups: groups.map((group) => {
        const user = people?.get(group.key ?? '');
        return user ? { ...group, user } : group;
      }),
    };
  }

  async createGrant(
    { by, requestId }: AuditedCall,
    { userId, tokens, note }: GrantRequest,
  ): Promise<UsageEntry> {
    const { spaceId } = by;
    const grantee = userId ?? null;
    if (grantee !== null) await this.identity.assertMember(spaceId, grantee);
    const account = { spaceId, userId: grantee };
    // Decided before the transaction, so that a retry finds what is already stored; the opening comes first.
    const openingId = uuidV7();
    const grant = { id: uuidV7(), openingId, tokens, by: { createdBy: by.userId, note: note ?? null } };
    const write = () =>
      this.database.transaction(
        async (tx) => {
          if (await this.postGrant(tx, account, grant)) {
            await recordAudit(tx, by, {
              action: 'usage.grant',
              targetType: grantee === null ? 'space' : 'user',
              targetId: grantee ?? spaceId,
              details: { tokens, note: note ?? null },
              requestId,
            });
          }
          return getEntry(tx, spaceId, grant.id);
        },
        { lane: spaceId },
      );
    const entry = await whileUnavailable(write, undefined, RETRY_MS);
    return toEntry(entry, await this.loadPeople([entry]));
  }

  /**
   * Writes a grant. The first grant of an account follows an opening that offsets earlier usage, so that the balance
   * starts at the granted amount. Returns false if the grant was already written.
   */
  private async postGrant(
    tx: EntityManager,
    account: AccountKey,
    { id, openingId, tokens, by }: { id: string; openingId: string; tokens: number; by: Grantor },
  ): Promise<boolean> {
    const [locked] = await lockAccounts(tx, [account]);
    if (!locked) throw new Error('The account was not created');
    const entries: NewEntry[] = [{ id, kind: 'GRANT', account, tokens, by }];
    const used = -locked.balance;
    if (!locked.hasGrant && used > 0) {
      entries.unshift({
        id: openingId,
        kind: 'OPENING',
        account,
        tokens: used,
        by: { ...by, note: null },
      });
    }
    return (await postEntries(tx, entries)).posted.has(id);
  }

  private loadPeople(entries: EntryEntity[]) {
    const ids = entries.flatMap(({ userId, createdBy }) => [userId, createdBy]);
    return this.identity.findUsersByIds([...new Set(ids.filter((id) => id !== null))]);
  }
}

/** Returns the user whose usage the caller sees: members see their own; admins see one user, or all (null). */
function visibleUser({ role, userId }: UserPrincipal, requested: string | undefined): string | null {
  if (role === 'ADMIN') return requested ?? null;
  if (requested !== undefined && requested.toLowerCase() !== userId) {
    throw forbidden('Only admins can see the usage of other users');
  }
  return userId;
}

function toBalance({ limited, balance, reserved: held }: AccountState): AccountBalance {
  return { limited, balance, held };
}
