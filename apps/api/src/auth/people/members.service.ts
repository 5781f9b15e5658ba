import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  AddMemberRequest,
  AddedMember,
  InvitedMember,
  Member,
  MemberRemoval,
  Page,
  UpdateMemberRequest,
} from '@platform/contracts';
import { IsNull, type EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { conflict, forbidden, invalid } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { positionIn, readPart } from '../../infra/requests/named-lists.ts';
import { recordAudit } from '../audit/audit.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import { IdentityService } from './identity.service.ts';
import { InvitationsService } from './invitations.service.ts';
import { endInvitationOf } from './invitations.store.ts';
import { listKeys } from '../credentials/api-keys.store.ts';
import { listClientNames } from '../grants/oauth-grants.store.ts';
import { MembershipEntity } from '../principals/membership.entity.ts';
import { COUNTED, holdingsOf, MemberRemovalsRegistry } from './member-removals.registry.ts';
import {
  assertOtherAdmin,
  assertOtherInstallationAdmin,
  endMembership,
  findMember,
  listMembers,
  MEMBER_LIST,
  updateInstallationAdmin,
  updateRole,
} from './memberships.store.ts';
import type { MemberQueryDto } from './people.dto.ts';
import { lockInstallation, lockPerson, lockSpace } from './people-locks.store.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';
import { toUser } from '../principals/users.store.ts';

@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly invitations: InvitationsService,
    private readonly removals: MemberRemovalsRegistry,
  ) {}

  async list(spaceId: string, query: MemberQueryDto): Promise<Page<Member>> {
    const part = readPart(query, { membersOf: spaceId }, this.cursors);
    const members = await listMembers(this.database.manager, spaceId, part);
    return this.cursors.page(
      members,
      part.limit,
      part.filter,
      (member) => positionIn(MEMBER_LIST, part, member),
      toMember,
    );
  }

  /**
   * An installation administrator adds anyone, and creates the account if there is none; any other admin invites.
   * An existing account keeps its name and password: only its owner may change them.
   */
  async add(call: AuditedCall, member: AddMemberRequest): Promise<AddedMember | InvitedMember> {
    if (await this.identity.isInstallationAdmin(call.by.userId)) return this.addDirectly(call, member);
    if (member.password != null) {
      throw forbidden('Only installation administrators may set password: invited people have their own');
    }
    return this.invitations.invite(call, member.email, member.role);
  }

  /** Throws CONFLICT if the space or the installation would have no administrator left. */
  update({ by, requestId }: AuditedCall, userId: string, changes: UpdateMemberRequest): Promise<Member> {
    const { role, installationAdmin } = changes;
    if (role == null && installationAdmin == null) throw invalid('role or installationAdmin must be given');
    return this.database.transaction(async (tx) => {
      if (installationAdmin != null) {
        await lockInstallation(tx);
        if (!(await this.identity.isInstallationAdmin(by.userId, tx))) {
          throw forbidden('Only installation administrators may change installationAdmin');
        }
      }
      const member = await this.lockMember(tx, by.spaceId, userId);
      const audit = { targetType: 'user', targetId: userId, requestId };
      if (role != null && role !== member.role) {
        await updateRole(tx, by.spaceId, userId, role);
        const details = { email: member.user.email, from: member.role, to: role };
        await recordAudit(tx, by, { ...audit, action: 'member.update', details });
        member.role = role;
      }
      if (installationAdmin != null && installationAdmin !== member.user.installationAdmin) {
        await updateInstallationAdmin(tx, userId, installationAdmin);
        const action = installationAdmin ? 'installation-admin.appoint' : 'installation-admin.dismiss';
        await recordAudit(tx, by, { ...audit, action, details: { email: member.user.email } });
        member.user.installationAdmin = installationAdmin;
      }
      return toMember(member);
    });
  }

  /** Throws CONFLICT if the space or the installation would have no administrator left. */
  async remove(call: AuditedCall, userId: string, transferTo: string | null): Promise<void> {
    const { by, requestId } = call;
    await this.database.transaction(async (tx) => {
      await lockInstallation(tx);
      const member = await this.lockMember(tx, by.spaceId, userId);
      await lockPerson(tx, userId);
      await assertOtherAdmin(tx, by.spaceId, userId);
      if (member.user.installationAdmin) await assertOtherInstallationAdmin(tx, userId, by.spaceId);
      await this.assertHeir(tx, by.spaceId, userId, transferTo);
      await endMembership(tx, by.spaceId, userId);
      await this.removals.remove(tx, { spaceId: by.spaceId, userId, transferTo }, call);
      await recordAudit(tx, by, {
        action: 'member.remove',
        targetType: 'user',
        targetId: userId,
        details: { email: member.user.email, role: member.role, ...(transferTo !== null && { transferTo }) },
        requestId,
      });
    });
  }

  /** Returns what would stop if a member were removed. Changes nothing. */
  async previewRemoval(call: AuditedCall, userId: string, transferTo: string | null): Promise<MemberRemoval> {
    const { spaceId } = call.by;
    const { manager } = this.database;
    await this.identity.assertMember(spaceId, userId);
    await this.assertHeir(manager, spaceId, userId, transferTo);
    const keys = await listKeys(manager, { userId, spaceId }, null, COUNTED);
    const clients = await listClientNames(manager, spaceId, userId, COUNTED);
    const held = await this.removals.preview(manager, { spaceId, userId, transferTo }, call);
    const none = holdingsOf([]);
    return {
      tasks: held.tasks ?? none,
      schedules: held.schedules ?? none,
      subscriptions: held.subscriptions ?? none,
      apiKeys: holdingsOf(keys.map(({ name }) => name)),
      connections: held.connections ?? none,
      clients: holdingsOf(clients),
      agents: held.agents ?? none,
      adminTasks: held.adminTasks ?? none,
      refused: held.refused ?? [],
    };
  }

  private async assertHeir(
    tx: EntityManager,
    spaceId: string,
    userId: string,
    transferTo: string | null,
  ): Promise<void> {
    if (transferTo === null) return;
    if (transferTo === userId) throw invalid('transferTo must be another member than the one who is removed');
    if (!(await this.identity.isMember(spaceId, transferTo, tx)))
      throw invalid('transferTo must name a member of the space');
  }

  private addDirectly({ by, requestId }: AuditedCall, member: AddMemberRequest): Promise<AddedMember> {
    const { email, name, role, password } = member;
    return this.database.transaction(async (tx) => {
      await lockSpace(tx, by.spaceId);
      const known = await this.identity.findUserByEmail(email, tx);
      if (known && password) throw conflict(`${email} already has an account; add it without a password`);
      const temporaryPassword = known || password ? undefined : randomBytes(12).toString('base64url');
      const user =
        known ??
        (await this.identity.createUser(tx, {
          email,
          name: name ?? email.replace(/@.*/, ''),
          password: password ?? temporaryPassword ?? '',
          passwordTemporary: temporaryPassword !== undefined,
        }));
      await this.identity.addMember(tx, by.spaceId, user.id, role);
      await endInvitationOf(tx, by.spaceId, email);
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

  /** Locks the space first, so that two admins cannot demote each other at the same moment. */
  private async lockMember(tx: EntityManager, spaceId: string, userId: string): Promise<MembershipEntity> {
    const label = `Member ${userId}`;
    requireUuid(userId, label);
    await lockSpace(tx, spaceId);
    const member = await findMember(tx, spaceId, userId);
    if (!member) throw await missingOrForeign(tx, MembershipEntity, { userId, removedAt: IsNull() }, label);
    return member;
  }
}

function toMember({ user, role, createdAt }: MembershipEntity): Member {
  const { installationAdmin } = user;
  return { user: toUser(user), role, installationAdmin, createdAt: createdAt.toISOString() };
}
