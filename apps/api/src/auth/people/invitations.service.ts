import { Injectable } from '@nestjs/common';
import type {
  Invitation,
  InvitedMember,
  Page,
  ReceivedInvitation,
  Role,
  SpaceSummary,
} from '@platform/contracts';
import { IsNull, type EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { AppError, conflict, forbidden, notFound } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { recordAudit, type AuditRecord } from '../audit/audit.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import { IdentityService } from './identity.service.ts';
import { InvitationEntity, type InvitationOutcome } from './invitation.entity.ts';
import {
  countPending,
  endInvitation,
  findForEmail,
  isMemberEmail,
  listPendingOfEmail,
  listPendingOfSpace,
  secondsToWait,
  upsertInvitation,
  withdrawInvitation,
} from './invitations.store.ts';
import { lockPerson, lockSpace } from './people-locks.store.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';
import { getUser, toUser } from '../principals/users.store.ts';

/** Pending invitations per space. */
const MAX_PENDING = 200;
/** New invitations per person and hour, over all spaces: anyone can create spaces. */
const MAX_PER_HOUR = 100;

/**
 * Invitations are addressed to an email address and wait for the person who signs in with it. Inviting reads nothing of
 * the account, so that the response does not reveal whether there is one.
 */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
  ) {}

  /** Invites an address, or changes the role of its pending invitation. */
  invite({ by, requestId }: AuditedCall, email: string, role: Role): Promise<InvitedMember> {
    return this.database.transaction(async (tx) => {
      await lockSpace(tx, by.spaceId);
      await lockPerson(tx, by.userId);
      const ownRole = await this.identity.findRole(by.spaceId, by.userId, tx);
      if (ownRole !== 'ADMIN') throw forbidden('Only admins of the space may make this call');
      if (await isMemberEmail(tx, by.spaceId, email)) {
        throw conflict('This person is already a member of the space');
      }
      const { id, isNew } = await upsertInvitation(tx, {
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
    const found = await listPendingOfSpace(
      this.database.manager,
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
      const invitation = await withdrawInvitation(tx, by.spaceId, id);
      if (!invitation) throw await missingOrForeign(tx, InvitationEntity, { id, endedAt: IsNull() }, label);
      await recordAudit(tx, by, {
        action: 'invitation.withdraw',
        targetType: 'invitation',
        targetId: id,
        details: { email: invitation.email },
        requestId,
      });
    });
  }

  /** The pending invitations of the caller, to all spaces. */
  async listReceived(
    { userId }: UserPrincipal,
    { limit, cursor }: PageDto,
  ): Promise<Page<ReceivedInvitation>> {
    const { email } = await getUser(this.database.manager, userId);
    const filter = { invitationsOfPerson: userId };
    const found = await listPendingOfEmail(
      this.database.manager,
      email,
      this.cursors.idAfter(cursor, filter),
      limit + 1,
    );
    return this.cursors.page(found, limit, filter, ({ id }) => [id], toReceived);
  }

  /** Makes the caller a member of the inviting space. Throws CONFLICT if the invitation has ended. */
  accept(call: AuditedCall, id: string): Promise<SpaceSummary> {
    return this.database.transaction(async (tx) => {
      const { email } = await getUser(tx, call.by.userId);
      const { spaceId, space } = await getReceived(tx, id, email);
      // From here on, no admin is demoted and the invitation does not change.
      await lockSpace(tx, spaceId);
      const { role, invitedBy, outcome } = await getReceived(tx, id, email);
      if (outcome !== null) throw ended(outcome);
      if ((await this.identity.findRole(spaceId, invitedBy, tx)) !== 'ADMIN') throw ended('WITHDRAWN');
      if (!(await endInvitation(tx, id, 'ACCEPTED'))) throw ended('WITHDRAWN');
      await this.identity.addMember(tx, spaceId, call.by.userId, role);
      await this.recordResponse(tx, call, {
        id,
        spaceId,
        action: 'invitation.accept',
        details: { email, role },
      });
      return { id: spaceId, name: space.name, role };
    });
  }

  /** Throws CONFLICT if the invitation has ended. */
  async decline(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { email } = await getUser(tx, call.by.userId);
      const { spaceId, outcome } = await getReceived(tx, id, email);
      if (outcome !== null) throw ended(outcome);
      if (!(await endInvitation(tx, id, 'DECLINED'))) throw ended('WITHDRAWN');
      // The space must not learn the name or id of a person who declines.
      const record = { action: 'invitation.decline' as const, details: { email }, anonymous: true };
      await this.recordResponse(tx, call, { id, spaceId, ...record });
    });
  }

  private async assertRoom(tx: EntityManager, by: UserPrincipal): Promise<void> {
    if ((await countPending(tx, by.spaceId, MAX_PENDING + 1)) > MAX_PENDING) {
      throw conflict(`The space has ${MAX_PENDING} pending invitations; withdraw some first`);
    }
    const retryAfter = await secondsToWait(tx, by.userId, MAX_PER_HOUR);
    if (retryAfter !== null) {
      throw new AppError('RATE_LIMITED', `At most ${MAX_PER_HOUR} invitations an hour`, { retryAfter });
    }
  }

  /** Records in the log of the inviting space, which need not be the space that the caller is signed in to. */
  private recordResponse(
    tx: EntityManager,
    { by, requestId }: AuditedCall,
    response: { id: string } & Pick<AuditRecord, 'spaceId' | 'action' | 'details' | 'anonymous'>,
  ): Promise<void> {
    const { id, ...record } = response;
    return recordAudit(tx, by, { ...record, targetType: 'invitation', targetId: id, requestId });
  }
}

/** For the caller, the invitation of another address does not exist. */
async function getReceived(tx: EntityManager, id: string, email: string): Promise<InvitationEntity> {
  const label = `Invitation ${id}`;
  const invitation = await findForEmail(tx, requireUuid(id, label), email);
  if (!invitation) throw notFound(`${label} does not exist`);
  return invitation;
}

const ENDED: Record<InvitationOutcome, string> = {
  ACCEPTED: 'This invitation has already been accepted',
  DECLINED: 'This invitation has been declined',
  WITHDRAWN: 'This invitation is no longer valid',
};
const ended = (outcome: InvitationOutcome) => conflict(ENDED[outcome]);

function toInvitation({ id, email, role, inviter, createdAt }: InvitationEntity): Invitation {
  return { id, email, role, invitedBy: toUser(inviter), createdAt: createdAt.toISOString() };
}

function toReceived({ id, space, role, inviter, createdAt }: InvitationEntity): ReceivedInvitation {
  return {
    id,
    space: { id: space.id, name: space.name },
    role,
    invitedBy: toUser(inviter),
    createdAt: createdAt.toISOString(),
  };
}
