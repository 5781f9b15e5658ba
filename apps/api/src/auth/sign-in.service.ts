import { Injectable } from '@nestjs/common';
import type { Me, SignedIn, SpaceSummary, UserSummary } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { hashPassword, verifyPassword } from '../infra/crypto/passwords.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { forbidden, invalid, unauthorized } from '../infra/http/app-error.ts';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from './access-tokens.ts';
import { recordAudit } from './audit.ts';
import type { Act } from './caller.decorator.ts';
import { IdentityService } from './identity.service.ts';
import type { UserPrincipal } from './principal.ts';
import { RefreshSessions, moveSession, revokeSessionsOf, type RefreshSession } from './refresh-sessions.ts';
import { missingOrForeign } from './resource-scope.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

/** The answer of a sign-in, and the token that goes into the cookie. */
export interface SignInResult {
  answer: SignedIn;
  refreshToken: string;
}

type Account = UserSummary & { passwordHash: string };

const ACCOUNT = 'select id, email, name, password_hash as "passwordHash" from platform_user';

/** Signing in and out, staying signed in, and changing one's password. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: DataSource,
    private readonly identity: IdentityService,
    private readonly accessTokens: AccessTokens,
    private readonly refreshSessions: RefreshSessions,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Signs in to the space used last, else to the first one joined. */
  async login(email: string, password: string, address: string): Promise<SignInResult> {
    await this.throttle.attempt(address, email);
    const account = await firstRow<Account>(this.database, `${ACCOUNT} where lower(email) = lower($1)`, [
      email,
    ]);
    const right = await verifyPassword(password, account?.passwordHash ?? null);
    if (!account || !right) throw unauthorized('E-mail or password is wrong');
    await this.throttle.succeeded(email);

    const spaces = await this.identity.spacesOf(account.id);
    const space = chooseSpace(spaces, await this.lastSpaceOf(account.id));
    const session = await this.database.transaction((tx) =>
      this.refreshSessions.open(tx, account.id, space.id),
    );
    return this.signedIn(session, userOf(account), space, spaces);
  }

  /** Exchanges the refresh token, staying in the space or going to another one of the same user. */
  async refresh(token: string | undefined, spaceId: string | undefined): Promise<SignInResult> {
    if (token === undefined) throw unauthorized('You are not signed in');
    // A reuse commits the end of the session, so it is told only after the transaction.
    const result = await this.database.transaction(async (tx) => {
      const session = await this.refreshSessions.rotate(tx, token);
      return session && this.resume(tx, session, spaceId);
    });
    if (!result) throw unauthorized('This sign-in has ended; sign in again');
    const { session, user, space, spaces } = result;
    return this.signedIn(session, user, space, spaces);
  }

  /** Ends the session of a refresh token, and its access tokens with it. */
  async logout(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.refreshSessions.close(this.database, token);
  }

  async me({ userId, spaceId, credential }: UserPrincipal): Promise<Me> {
    const [account, spaces] = await Promise.all([this.accountOf(userId), this.identity.spacesOf(userId)]);
    return {
      user: userOf(account),
      space: chooseSpace(spaces, spaceId),
      spaces,
      credential: credential.kind === 'api-key' ? 'api-key' : 'access-token',
    };
  }

  /** Ends every other sign-in of the user. */
  async changePassword(
    { by, requestId }: Act,
    current: string,
    next: string,
    address: string,
  ): Promise<UserSummary> {
    const account = await this.accountOf(by.userId);
    await this.throttle.attempt(address, account.email);
    if (!(await verifyPassword(current, account.passwordHash))) throw invalid('currentPassword is wrong');
    await this.throttle.succeeded(account.email);

    const passwordHash = await hashPassword(next);
    await this.database.transaction(async (tx) => {
      const [changed] = await rows(
        tx,
        `update platform_user set password_hash = $3, password_changed_at = clock_timestamp()
         where id = $1 and password_hash = $2 returning id`,
        [by.userId, account.passwordHash, passwordHash],
      );
      if (!changed) throw invalid('currentPassword is wrong');
      await revokeSessionsOf(tx, by.userId, by.credential.kind === 'access-token' ? by.credential.id : null);
      await recordAudit(tx, by, {
        action: 'password.change',
        targetType: 'user',
        targetId: by.userId,
        requestId,
      });
    });
    return userOf(account);
  }

  private async resume(tx: EntityManager, session: RefreshSession, spaceId: string | undefined) {
    const spaces = await this.identity.spacesOf(session.userId, tx);
    if (spaceId !== undefined && !spaces.some(({ id }) => id === spaceId)) {
      throw await missingOrForeign(tx, 'space', spaceId, `Space ${spaceId}`);
    }
    const space = chooseSpace(spaces, spaceId ?? session.spaceId);
    if (space.id !== session.spaceId) await moveSession(tx, session.id, space.id);
    const user = userOf(await this.accountOf(session.userId, tx));
    return { session, user, space, spaces };
  }

  private async signedIn(
    session: RefreshSession,
    user: UserSummary,
    space: SpaceSummary,
    spaces: SpaceSummary[],
  ): Promise<SignInResult> {
    const accessToken = await this.accessTokens.issue({
      userId: user.id,
      spaceId: space.id,
      refreshSessionId: session.id,
    });
    const answer = { accessToken, expiresIn: ACCESS_TOKEN_SECONDS, user, space, spaces };
    return { answer, refreshToken: session.token };
  }

  private async accountOf(userId: string, sql: Sql = this.database): Promise<Account> {
    const account = await firstRow<Account>(sql, `${ACCOUNT} where id = $1`, [userId]);
    if (!account) throw new Error(`User ${userId} has a credential but no account`);
    return account;
  }

  private async lastSpaceOf(userId: string): Promise<string | undefined> {
    const last = await firstRow<{ spaceId: string }>(
      this.database,
      'select space_id as "spaceId" from refresh_session where user_id = $1 order by refreshed_at desc limit 1',
      [userId],
    );
    return last?.spaceId;
  }
}

/** The wanted space while the user belongs to it, else the first; 403 for a member of none. */
function chooseSpace(spaces: SpaceSummary[], wantedId: string | undefined): SpaceSummary {
  const space = spaces.find(({ id }) => id === wantedId) ?? spaces[0];
  if (!space) throw forbidden('You are not a member of any space');
  return space;
}

const userOf = ({ id, email, name }: Account): UserSummary => ({ id, email, name });
