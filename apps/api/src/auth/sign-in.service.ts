import { Injectable } from '@nestjs/common';
import type { Me, UserState, SignInResponse, SpaceSummary, UserSummary } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { verifyPassword } from '../infra/crypto/passwords.ts';
import { firstRow } from '../infra/database/rows.ts';
import { forbidden, unauthorized } from '../infra/http/app-error.ts';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from './access-tokens.ts';
import { findAccount, getAccount, toPersonState, toUser, type Account } from './users.store.ts';
import { IdentityService, toSpace, type Home } from './identity.service.ts';
import type { UserPrincipal } from './principal.ts';
import { RefreshSessions, moveSession, type RefreshSession } from './refresh-sessions.ts';
import { missingOrForeign, requireUuid } from './resource-scope.ts';
import { SpaceEntity } from './space.entity.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

/** The answer of a sign-in, and the token that goes into the cookie. */
export interface SignInResult {
  answer: SignInResponse;
  refreshToken: string;
}

type Person = UserState & { user: UserSummary; space: SpaceSummary; spaces: SpaceSummary[] };

/** Signing in and out, and staying signed in. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
    private readonly identity: IdentityService,
    private readonly accessTokens: AccessTokens,
    private readonly refreshSessions: RefreshSessions,
    private readonly throttle: SignInThrottle,
  ) {}

  /** Signs in to the space used last, else to the first one joined. */
  async login(email: string, password: string, address: string): Promise<SignInResult> {
    await this.throttle.attempt(address, email);
    const account = await findAccount(this.database, email);
    const right = await verifyPassword(password, account?.passwordHash ?? null);
    if (!account || !right) throw unauthorized('E-mail or password is wrong');
    await this.throttle.succeeded(email);

    const home = (await this.identity.homeOf(account.id, await this.lastSpaceOf(account.id))) ?? refuse();
    const session = await this.database.transaction((tx) =>
      this.refreshSessions.open(tx, account.id, home.id),
    );
    return this.signedIn(session, account, home);
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
    return this.signedIn(result.session, result.account, result.home);
  }

  /** Ends the session of a refresh token, and its access tokens with it. */
  async logout(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.refreshSessions.close(this.database, token);
  }

  async me({ userId, spaceId, credential }: UserPrincipal): Promise<Me> {
    const [account, home] = await Promise.all([
      getAccount(this.database, userId),
      this.identity.homeOf(userId, spaceId),
    ]);
    return {
      ...(await this.describe(account, home ?? refuse())),
      credential: credential.kind === 'api-key' ? 'api-key' : 'access-token',
    };
  }

  private async resume(tx: EntityManager, session: RefreshSession, spaceId: string | undefined) {
    const home =
      spaceId === undefined
        ? await this.identity.homeOf(session.userId, session.spaceId, tx)
        : await this.wantedHome(tx, session.userId, spaceId);
    if (home === null) return refuse();
    if (home.id !== session.spaceId) await moveSession(tx, session.id, home.id);
    return { session, home, account: await getAccount(tx, session.userId) };
  }

  private async wantedHome(tx: EntityManager, userId: string, spaceId: string): Promise<Home> {
    const label = `Space ${spaceId}`;
    requireUuid(spaceId, label);
    const home = await this.identity.findHome(userId, spaceId, tx);
    if (!home) throw await missingOrForeign(tx, SpaceEntity, { id: spaceId }, label);
    return home;
  }

  private async signedIn(session: RefreshSession, account: Account, home: Home): Promise<SignInResult> {
    const accessToken = await this.accessTokens.issue({
      userId: account.id,
      spaceId: home.id,
      joinedAt: home.joinedAt.getTime(),
      refreshSessionId: session.id,
    });
    const person = await this.describe(account, home);
    return {
      answer: { accessToken, expiresIn: ACCESS_TOKEN_SECONDS, ...person },
      refreshToken: session.token,
    };
  }

  private async describe(account: Account, home: Home): Promise<Person> {
    return {
      user: toUser(account),
      space: toSpace(home),
      spaces: await this.identity.spacesOf(account.id),
      ...toPersonState(account, this.config),
    };
  }

  private async lastSpaceOf(userId: string): Promise<string | null> {
    const last = await firstRow<{ spaceId: string }>(
      this.database,
      'select space_id as "spaceId" from refresh_session where user_id = $1 order by refreshed_at desc limit 1',
      [userId],
    );
    return last?.spaceId ?? null;
  }
}

function refuse(): never {
  throw forbidden('You are not a member of any space; an installation administrator can add you to one');
}
