import { Injectable } from '@nestjs/common';
import type { Me, UserState, SignInResponse, SpaceSummary, UserSummary } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { verifyPassword } from '../../infra/crypto/passwords.ts';
import { forbidden, unauthorized } from '../../infra/errors/app-error.ts';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../credentials/access-tokens.ts';
import { IdentityService, toSpace } from '../people/identity.service.ts';
import type { MembershipEntity } from '../principals/membership.entity.ts';
import { findMembership } from '../people/memberships.store.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { RefreshSessions, type RefreshSession } from '../credentials/refresh-sessions.ts';
import { findLastSpace, moveSession } from '../credentials/refresh-sessions.store.ts';
import { missingOrForeign, requireUuid } from '../principals/resource-scope.ts';
import { SpaceEntity } from '../principals/space.entity.ts';
import type { UnknownCaller } from '../limits/limit-headers.ts';
import { SignInThrottle } from '../limits/sign-in-throttle.ts';
import type { UserEntity } from '../principals/user.entity.ts';
import { findUserByEmail, getUser, lockPassword, toUser, toUserState } from '../principals/users.store.ts';

/** The response to a sign-in, and the token for the cookie. */
export interface SignInResult {
  response: SignInResponse;
  refreshToken: string;
}

type Person = UserState & { user: UserSummary; space: SpaceSummary; spaces: SpaceSummary[] };

/** Signs people in and out, and keeps them signed in. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
    private readonly accessTokens: AccessTokens,
    private readonly refreshSessions: RefreshSessions,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Signs in to the space that was used last, or if there is none, to the one joined first. */
  async login(email: string, password: string, caller: UnknownCaller): Promise<SignInResult> {
    await this.throttle.attempt(caller, email);
    const account = await findUserByEmail(this.database.manager, email);
    const isRight = await verifyPassword(password, account?.passwordHash ?? null);
    if (!account || !isRight) throw wrongCredentials();
    await this.throttle.succeeded(email);

    const lastSpace = await findLastSpace(this.database.manager, account.id);
    const membership = (await this.identity.chooseSpace(account.id, lastSpace)) ?? refuse();
    const session = await this.database.transaction(async (tx) => {
      // A change of the password ends all sign-ins, and would not see this one.
      if (!(await lockPassword(tx, account))) throw wrongCredentials();
      return this.refreshSessions.open(tx, account.id, membership.spaceId);
    });
    return this.signedIn(session, account, membership);
  }

  /** Exchanges the refresh token; with `spaceId`, also moves the sign-in to another space of the user. */
  async refresh(token: string | undefined, spaceId: string | undefined): Promise<SignInResult> {
    if (token === undefined) throw unauthorized('You are not signed in');
    // Reuse of an old token ends the session. That must be committed, so the error is thrown after the transaction.
    const result = await this.database.transaction(async (tx) => {
      const session = await this.refreshSessions.rotate(tx, token);
      return session && this.resume(tx, session, spaceId);
    });
    if (!result) throw unauthorized('This sign-in has ended; sign in again');
    return this.signedIn(result.session, result.account, result.membership);
  }

  /** Ends the session of a refresh token, and with it the access tokens. */
  async logout(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.refreshSessions.close(this.database, token);
  }

  async me({ userId, spaceId, credential }: UserPrincipal): Promise<Me> {
    const [account, membership] = await Promise.all([
      getUser(this.database.manager, userId),
      this.identity.chooseSpace(userId, spaceId),
    ]);
    return {
      ...(await this.describe(account, membership ?? refuse())),
      credential: credential.kind === 'api-key' ? 'api-key' : 'access-token',
    };
  }

  private async resume(tx: EntityManager, session: RefreshSession, spaceId: string | undefined) {
    const membership =
      spaceId === undefined
        ? await this.identity.chooseSpace(session.userId, session.spaceId, tx)
        : await this.getMembership(tx, session.userId, spaceId);
    if (membership === null) return refuse();
    if (membership.spaceId !== session.spaceId) await moveSession(tx, session.id, membership.spaceId);
    return { session, membership, account: await getUser(tx, session.userId) };
  }

  private async getMembership(tx: EntityManager, userId: string, spaceId: string): Promise<MembershipEntity> {
    const label = `Space ${spaceId}`;
    requireUuid(spaceId, label);
    const membership = await findMembership(tx, userId, spaceId);
    if (!membership) throw await missingOrForeign(tx, SpaceEntity, { id: spaceId }, label);
    return membership;
  }

  private async signedIn(
    session: RefreshSession,
    account: UserEntity,
    membership: MembershipEntity,
  ): Promise<SignInResult> {
    const accessToken = await this.accessTokens.issue({
      userId: account.id,
      spaceId: membership.spaceId,
      joinedAt: membership.createdAt.getTime(),
      refreshSessionId: session.id,
    });
    const person = await this.describe(account, membership);
    return {
      response: { accessToken, expiresIn: ACCESS_TOKEN_SECONDS, ...person },
      refreshToken: session.token,
    };
  }

  private async describe(account: UserEntity, membership: MembershipEntity): Promise<Person> {
    return {
      user: toUser(account),
      space: toSpace(membership),
      spaces: await this.identity.listSpaces(account.id),
      ...toUserState(account, this.config),
    };
  }
}

const wrongCredentials = () => unauthorized('E-mail or password is wrong');

function refuse(): never {
  throw forbidden('You are not a member of any space; an installation administrator can add you to one');
}
