import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AddMemberRequest, AddedMember, Member, Page, Role } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { firstRow, rows } from '../infra/database/rows.ts';
import { conflict } from '../infra/http/app-error.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { recordAudit } from './audit.ts';
import type { Act } from './caller.decorator.ts';
import { IdentityService } from './identity.service.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';

interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: Date;
}

const MEMBERS = `
  select u.id, u.email, u.name, m.role, m.created_at as "createdAt"
  from membership m join platform_user u on u.id = m.user_id
  where m.space_id = $1 and m.removed_at is null`;

@Injectable()
export class MembersService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<Member>> {
    const filter = { membersOf: spaceId };
    const members = await rows<MemberRow>(
      this.database,
      `${MEMBERS} and ($2::uuid is null or u.id < $2) order by u.id desc limit $3`,
      [spaceId, this.cursors.idAfter(cursor, filter), limit + 1],
    );
    return this.cursors.page(members, limit, filter, ({ id }) => [id], toMember);
  }

  /** Who has an account keeps its name and password: only the person himself changes those. */
  add({ by, requestId }: Act, { email, name, role, password }: AddMemberRequest): Promise<AddedMember> {
    return this.database.transaction(async (tx) => {
      const known = await this.identity.userByEmail(email, tx);
      if (known && password) throw conflict(`${email} has an account already; add it without a password`);
      const temporaryPassword = known || password ? undefined : randomBytes(12).toString('base64url');
      const user =
        known ??
        (await this.identity.createUser(tx, {
          email,
          name: name ?? email.replace(/@.*/, ''),
          password: password ?? temporaryPassword ?? '',
        }));
      await this.identity.addMember(tx, by.spaceId, user.id, role);
      await recordAudit(tx, by, {
        action: 'member.add',
        targetType: 'user',
        targetId: user.id,
        details: { email: user.email, role, newAccount: known === null },
        requestId,
      });
      return { user, role, ...(temporaryPassword !== undefined && { temporaryPassword }) };
    });
  }

  /** 409 where the space would be left without an admin. */
  changeRole({ by, requestId }: Act, userId: string, role: Role): Promise<Member> {
    return this.database.transaction(async (tx) => {
      const member = await this.lockMember(tx, by.spaceId, userId);
      if (member.role === role) return toMember(member);
      if (role !== 'ADMIN') await keepAnAdmin(tx, by.spaceId, userId);
      await rows(tx, 'update membership set role = $3 where space_id = $1 and user_id = $2', [
        by.spaceId,
        userId,
        role,
      ]);
      await recordAudit(tx, by, {
        action: 'member.update',
        targetType: 'user',
        targetId: userId,
        details: { email: member.email, from: member.role, to: role },
        requestId,
      });
      return toMember({ ...member, role });
    });
  }

  /** 409 where the space would be left without an admin. */
  async remove({ by, requestId }: Act, userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const member = await this.lockMember(tx, by.spaceId, userId);
      await keepAnAdmin(tx, by.spaceId, userId);
      await rows(
        tx,
        'update membership set removed_at = clock_timestamp() where space_id = $1 and user_id = $2',
        [by.spaceId, userId],
      );
      // Should the person ever come back, the old keys stay dead.
      await rows(
        tx,
        `update api_key set revoked_at = clock_timestamp()
         where space_id = $1 and user_id = $2 and revoked_at is null`,
        [by.spaceId, userId],
      );
      await recordAudit(tx, by, {
        action: 'member.remove',
        targetType: 'user',
        targetId: userId,
        details: { email: member.email, role: member.role },
        requestId,
      });
    });
  }

  /** Locks the space first, so that two admins cannot demote each other at the same moment. */
  private async lockMember(tx: EntityManager, spaceId: string, userId: string): Promise<MemberRow> {
    const label = `Member ${userId}`;
    requireUuid(userId, label);
    await rows(tx, 'select 1 from space where id = $1 for update', [spaceId]);
    const member = await firstRow<MemberRow>(tx, `${MEMBERS} and u.id = $2`, [spaceId, userId]);
    if (!member) throw await missingOrForeign(tx, 'membership', userId, label);
    return member;
  }
}

async function keepAnAdmin(tx: EntityManager, spaceId: string, exceptUserId: string): Promise<void> {
  const other = await firstRow(
    tx,
    `select 1 from membership
     where space_id = $1 and user_id <> $2 and role = 'ADMIN' and removed_at is null limit 1`,
    [spaceId, exceptUserId],
  );
  if (!other) throw conflict('The space needs another admin first');
}

function toMember({ id, email, name, role, createdAt }: MemberRow): Member {
  return { user: { id, email, name }, role, createdAt: createdAt.toISOString() };
}
