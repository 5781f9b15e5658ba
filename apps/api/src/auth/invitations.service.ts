import { Injectable } from '@nestjs/common';
import type {
  Invitation,
  InvitedMember,
  Page,
  ReceivedInvitation,
  Role,
  SpaceSummary,
  UserSummary,
} from '@platform/contracts';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { firstRow } from '../infra/database/rows.ts';
import { AppError, conflict, forbidden, notFound } from '../infra/http/app-error.ts';
import { Cursors } from '../infra/http/cursors.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { getAccount } from './users.store.ts';
import { recordAudit, type AuditRecord } from './audit.ts';
import type { AuditedCall } from './caller.decorator.ts';
import { IdentityService } from './identity.service.ts';
import { InvitationEntity } from './invitation.entity.ts';
import {
  countPending,
  endInvitation,
  findForAddress,
  isMemberAddress,
  pendingOfAddress,
  pendingOfSpace,
  putInvitation,
  secondsToWait,
  type InvitationOutcome,
  type InvitationRow,
} from './invitations.store.ts';
import { lockPerson, lockSpace } from './people-locks.store.ts';
import type { UserPrincipal } from './principal.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';

/** Pending invitations of a space. */
const MOST_PENDING = 200;
/** New invitations of one person within an hour, in all spaces: spaces are free. */
const MOST_PER_HOUR = 100;

/**
 * Invitations are addressed to an e-mail and wait for whoever signs in by it. Inviting reads nothing of the
 * account, so that it cannot tell whether there is one.
 */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  /** Invites an address, or changes the role of its pending invitation. */
  invite({ by, requestId }: AuditedCall, email: string, role: Role): Promise<InvitedMember> {
    return this.database.transaction(async (tx) => {
      await lockSpace(tx, by.spaceId);
      await lockPerson(tx, by.userId);
      const ownRole = await this.identity.findRole(by.spaceId, by.userId, tx);
      if (ownRole !== 'ADMIN') throw forbidden('This call is for admins of the space');
      if (await isMemberAddress(tx, by.spaceId, email)) {
        throw conflict('This person is a member of the space already');
      }
      const { id, isNew } = await putInvitation(tx, {
        spaceId: by.spaceId,
        email,
        role,
        inviterId: by.userId,
      });
      if (isNew) await this.assertRoom(tx, by);
      await recordAudit(tx, by, {
        action: 'invitation.create',
        targetType: 'invitation',
        targetId: id,
        details: { email, role },
        requestId,
      });
      return { status: 'invited' };
    });
  }

  /** The pending invitations of the space. */
  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<Invitation>> {
    const filter = { invitationsOf: spaceId };
    const found = await pendingOfSpace(
      this.database,
      spaceId,
      this.cursors.idAfter(cursor, filter),
      limit + 1,
    );
    return this.cursors.page(found, limit, filter, ({ id }) => [id], toInvitation);
  }

  /** Ends a pending invitation of the space. */
  async withdraw({ by, requestId }: AuditedCall, id: string): Promise<void> {
    const label = `Invitation ${id}`;
    requireUuid(id, label);
    await this.database.transaction(async (tx) => {
      const invitation = await firstRow<{ email: string }>(
        tx,
        `update invitation set ended_at = clock_timestamp(), outcome = 'WITHDRAWN'
         where space_id = $1 and id = $2 and ended_at is null returning email`,
        [by.spaceId, id],
      );
      if (!invitation) throw await missingOrForeign(tx, InvitationEntity, { id, endedAt: IsNull() }, label);
      await recordAudit(tx, by, {
        action: 'invitation.withdraw',
        targetType: 'invitation',
        targetId: id,
        details: invitation,
        requestId,
      });
    });
  }

  /** The pending invitations of the caller, to all spaces. */
  async listReceived(
    { userId }: UserPrincipal,
    { limit, cursor }: PageDto,
  ): Promise<Page<ReceivedInvitation>> {
    const { email } = await getAccount(this.database, userId);
    const filter = { invitationsOfPerson: userId };
    const found = await pendingOfAddress(
      this.database,
      email,
      this.cursors.idAfter(cursor, filter),
      limit + 1,
    );
    return this.cursors.page(found, limit, filter, ({ id }) => [id], toReceived);
  }

  /** Makes the caller a member of the space that invited; 409 if the invitation has ended. */
  accept(call: AuditedCall, id: string): Promise<SpaceSummary> {
    return this.database.transaction(async (tx) => {
      const { email } = await getAccount(tx, call.by.userId);
      const { spaceId, spaceName } = await getReceived(tx, id, email);
      // From here on no admin is demoted and nothing of the invitation changes.
      await lockSpace(tx, spaceId);
      const { role, inviterId, outcome } = await getReceived(tx, id, email);
      if (outcome !== null) throw ended(outcome);
      if ((await this.identity.findRole(spaceId, inviterId, tx)) !== 'ADMIN') throw ended('WITHDRAWN');
      if (!(await endInvitation(tx, id, 'ACCEPTED'))) throw ended('WITHDRAWN');
      await this.identity.addMember(tx, spaceId, call.by.userId, role);
      await this.recordAnswer(tx, call, {
        id,
        spaceId,
        action: 'invitation.accept',
        details: { email, role },
      });
      return { id: spaceId, name: spaceName, role };
    });
  }

  /** 409 if the invitation has ended. */
  async decline(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { email } = await getAccount(tx, call.by.userId);
      const { spaceId, outcome } = await getReceived(tx, id, email);
      if (outcome !== null) throw ended(outcome);
      if (!(await endInvitation(tx, id, 'DECLINED'))) throw ended('WITHDRAWN');
      // Who declines stays a stranger to the space: neither name nor id.
      const record = { action: 'invitation.decline', details: { email }, anonymous: true };
      await this.recordAnswer(tx, call, { id, spaceId, ...record });
    });
  }

  private async assertRoom(tx: EntityManager, by: UserPrincipal): Promise<void> {
    if ((await countPending(tx, by.spaceId, MOST_PENDING + 1)) > MOST_PENDING) {
      throw conflict(`The space has ${MOST_PENDING} pending invitations; withdraw some first`);
    }
    const retryAfter = await secondsToWait(tx, by.userId, MOST_PER_HOUR);
    if (retryAfter !== null) {
      throw new AppError('RATE_LIMITED', `At most ${MOST_PER_HOUR} invitations an hour`, { retryAfter });
    }
  }

  /** In the log of the space that invited, which need not be the one the caller is signed in to. */
  private recordAnswer(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    answer: { id: string } & Pick<AuditRecord, 'spaceId' | 'action' | 'details' | 'anonymous'>,
  ): Promise<void> {
    const { id, ...record } = answer;
    return recordAudit(tx, by, { ...record, targetType: 'invitation', targetId: id, requestId });
  }
}

/** Somebody else's invitation does not exist for the caller. */
async function getReceived(tx: EntityManager, id: string, email: string): Promise<InvitationRow> {
  const label = `Invitation ${id}`;
  const invitation = await findForAddress(tx, requireUuid(id, label), email);
  if (!invitation) throw notFound(`${label} does not exist`);
  return invitation;
}

const ENDED: Record<InvitationOutcome, string> = {
  ACCEPTED: 'This invitation has been accepted already',
  DECLINED: 'This invitation has been declined',
  WITHDRAWN: 'This invitation is no longer valid',
};
const ended = (outcome: InvitationOutcome) => conflict(ENDED[outcome]);

function inviterOf({ inviterId, inviterEmail, inviterName }: InvitationRow): UserSummary {
  return { id: inviterId, email: inviterEmail, name: inviterName };
}

function toInvitation(row: InvitationRow): Invitation {
  const { id, email, role, createdAt } = row;
  return { id, email, role, invitedBy: inviterOf(row), createdAt: createdAt.toISOString() };
}

function toReceived(row: InvitationRow): ReceivedInvitation {
  const { id, spaceId, spaceName, role, createdAt } = row;
  const space = { id: spaceId, name: spaceName };
  return { id, space, role, invitedBy: inviterOf(row), createdAt: createdAt.toISOString() };
}
