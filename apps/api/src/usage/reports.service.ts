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
import { DataSource } from 'typeorm';
import { recordAudit } from '../auth/audit.ts';
import type { Act } from '../auth/caller.decorator.ts';
import { IdentityService } from '../auth/identity.service.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { missingOrForeign } from '../auth/resource-scope.ts';
import { forbidden } from '../infra/http/app-error.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { accountStates, openAccount, postGrant, type AccountState } from './ledger.store.ts';
import { entryById, listEntries, sumCharges, toEntry, type EntryRow } from './reports.store.ts';
import { arrangeGroups } from './summary.ts';
import type { UsageEntryQueryDto } from './usage.dto.ts';

/** What people see of the ledger, and the grants of admins. */
@Injectable()
export class UsageReports {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async balance({ spaceId, userId }: UserPrincipal): Promise<UsageBalance> {
    const [space, user] = await accountStates(this.database, spaceId, userId);
    if (!space || !user) throw new Error('Both accounts are told');
    return { user: toBalance(user), space: toBalance(space) };
  }

  async entries(caller: UserPrincipal, query: UsageEntryQueryDto): Promise<Page<UsageEntry>> {
    const { limit, cursor, source, model, from, to } = query;
    const { spaceId } = caller;
    const filter = { userId: userSeen(caller, query.userId), source, model, from, to };
    const bound = { usageOf: spaceId, ...filter };
    const after = this.cursors.idAfter(cursor, bound);
    const entries = await listEntries(this.database, spaceId, filter, after, limit + 1);
    const people = await this.peopleIn(entries);
    return this.cursors.page(
      entries,
      limit,
      bound,
      ({ id }) => [id],
      (row) => toEntry(row, people),
    );
  }

  async summary(caller: UserPrincipal, query: UsageSummaryQuery): Promise<UsageSummary> {
    const { window = '7d', groupBy = 'day' } = query;
    const seen = userSeen(caller, query.userId);
    const sums = await sumCharges(this.database, caller.spaceId, seen, window, groupBy);
    const whole = sums.find(({ isTotal }) => isTotal);
    if (!whole) throw new Error('The total is always told');
    const { key: _, isTotal: __, from, to, ...total } = whole;
    const used = sums
      .filter(({ isTotal }) => !isTotal)
      .map(({ isTotal: _, from: __, to: ___, ...group }) => group);
    const groups = arrangeGroups(used, groupBy, from, to);
    const people =
      groupBy === 'user' ? await this.identity.usersByIds(groups.flatMap(({ key }) => key ?? [])) : null;
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

  async grant({ by, requestId }: Act, { userId, tokens, note }: GrantRequest): Promise<UsageEntry> {
    const { spaceId } = by;
    const grantee = userId ?? null;
    if (grantee !== null && !(await this.identity.isMember(spaceId, grantee))) {
      throw await missingOrForeign(this.database, 'membership', grantee, `Member ${grantee}`);
    }
    await this.database.transaction((tx) => openAccount(tx, spaceId, grantee));
    const entry = await this.database.transaction(async (tx) => {
      await recordAudit(tx, by, {
        action: 'usage.grant',
        targetType: grantee === null ? 'space' : 'user',
        targetId: grantee ?? spaceId,
        details: { tokens, note: note ?? null },
        requestId,
      });
      const grant = { spaceId, userId: grantee, tokens, note: note ?? null, createdBy: by.userId };
      return entryById(tx, spaceId, await postGrant(tx, grant));
    });
    return toEntry(entry, await this.peopleIn([entry]));
  }

  private peopleIn(entries: EntryRow[]) {
    const ids = entries.flatMap(({ userId, createdByUserId }) => [userId, createdByUserId]);
    return this.identity.usersByIds([...new Set(ids.filter((id) => id !== null))]);
  }
}

/** Whose usage is told: a member's own; an admin asks for one user, or for all (null). */
function userSeen({ role, userId }: UserPrincipal, asked: string | undefined): string | null {
  if (role === 'ADMIN') return asked ?? null;
  if (asked !== undefined && asked.toLowerCase() !== userId) {
    throw forbidden('Only admins see the usage of others');
  }
  return userId;
}

function toBalance({ limited, balance, held }: AccountState): AccountBalance {
  return { limited, balance, held };
}
