import { Injectable } from '@nestjs/common';
import type { ConnectionKind, ConnectionOwner, CreateConnectionRequest } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { insertRow, updateRow } from '../../infra/database/entity-rows.ts';
import { readTime, violates } from '../../infra/database/rows.ts';
import { AppError, conflict, forbidden, invalid } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { OauthClientService, type Tokens } from '../providers/oauth-client.service.ts';
import { OAuthFailure } from '../providers/oauth-failure.ts';
import { clientOf } from '../providers/provider-definition.ts';
import { connectionPath } from '../records/connection-needed.ts';
import { ConnectionObserversRegistry } from '../records/connection-observers.registry.ts';
import type { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { ConnectionEntity } from '../records/connection.entity.ts';
import { countOfSpace, findOwn, getConnection, getProvider, newId } from '../records/connections.store.ts';
import { RenewalsService } from '../tokens/renewals.service.ts';

const MAX_OF_SPACE = 500;

/** What a person has granted, or entered. */
export interface Granted {
  kind: ConnectionKind;
  username: string | null;
  tokens: Tokens;
}

export interface NewConnection {
  provider: ConnectionProviderEntity;
  owner: ConnectionOwner;
  /** Null: the name of the provider, or the one that it has. */
  name: string | null;
  tokens: Granted;
  /** The connection of the space whose owner signs in again. */
  connectionId?: string | null;
}

/** Makes connections usable: new ones, and those whose owners connect again. */
@Injectable()
export class ConnectingService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityService,
    private readonly client: OauthClientService,
    private readonly renewals: RenewalsService,
    private readonly observers: ConnectionObserversRegistry,
  ) {}

  /** What is granted without a browser. Throws VALIDATION_ERROR, or TOOL_ERROR if the provider gives the platform no tokens. */
  async withoutSignIn(
    provider: ConnectionProviderEntity,
    owner: ConnectionOwner,
    { secret, username }: CreateConnectionRequest,
  ): Promise<Granted> {
    const { kind } = provider;
    if (kind === 'oauth2') {
      if (secret != null)
        throw invalid('secret must be absent: the provider gives tokens when a person signs in');
      // They are those of the platform, and would let each member act as it.
      if (owner !== 'space')
        throw invalid('owner must be space, or a person must sign in: POST /api/connections/authorize');
      return { kind: 'oauth2-client', username: null, tokens: await this.ownTokens(provider) };
    }
    if (secret == null || secret === '') throw invalid('secret is required for this provider');
    if (kind !== 'basic' && !/^[\x20-\x7e]+$/.test(secret))
      throw invalid('secret must contain only what a header can carry');
    if (kind === 'basic' && (!isText(username) || username === '' || /[:\p{Cc}]/u.test(username)))
      throw invalid('username must be a text without colons and control characters');
    const tokens = {
      accessToken: secret,
      refreshToken: null,
      expiresInSeconds: null,
      scopes: [],
      account: null,
    };
    return { kind, username: kind === 'basic' ? (username ?? null) : null, tokens };
  }

  /** Stores what was granted, and tells those who wait for it. A person has one connection with each provider. */
  async store(call: AuditedCall, granted: NewConnection): Promise<ConnectionEntity> {
    try {
      return await this.database.transaction((tx) => this.storeIn(tx, call, granted));
    } catch (error) {
      // The person connected twice at the same moment.
      if (!violates(error, 'connection_of_person')) throw error;
      return this.database.transaction((tx) => this.storeIn(tx, call, granted));
    }
  }

  private async storeIn(
    tx: EntityManager,
    call: AuditedCall,
    { provider: asked, owner, name, tokens: granted, connectionId = null }: NewConnection,
  ): Promise<ConnectionEntity> {
    const { spaceId, userId } = call.by;
    const { id: providerId } = asked;
    // What allows it may have ended while the person signed in.
    const role = await this.identity.lockRole(tx, spaceId, userId);
    if (role === null) throw forbidden('You are no longer a member of the space');
    assertMayOwn({ role }, owner);
    // It may have been deleted, or moved, while the person signed in.
    const provider = await getProvider(tx, spaceId, providerId, { lock: 'read' });
    if (provider.oauth && asked.oauth && clientOf(provider.oauth) !== clientOf(asked.oauth))
      throw conflict(`${provider.name} was changed meanwhile; connect again`);
    const ownerUserId = owner === 'me' ? userId : null;
    const current = await this.findCurrent(tx, call, providerId, owner, connectionId);
    const id = current?.id ?? (await newId(tx));
    const { kind, username, tokens } = granted;
    const { secret, refreshToken, expiresInSeconds, scopes } = this.renewals.seal({ spaceId, id }, tokens);
    const now = await readTime(tx);
    const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const values = {
      kind,
      origins: provider.origins,
      scopes: scopes ?? provider.oauth?.scopes ?? [],
      account: tokens.account,
      username,
      secret,
      refreshToken,
      expiresAt: expiresInSeconds === null ? null : after(expiresInSeconds),
      renewAt:
        expiresInSeconds === null ? null : after(Math.max(expiresInSeconds - 60, expiresInSeconds / 2)),
      status: 'ACTIVE' as const,
      reason: null,
      refusedGeneration: null,
      refusedAt: null,
      leaseUntil: null,
      unanswered: 0,
      failures: 0,
      retryAt: null,
    };
    const connection =
      current === null
        ? await insertRow(tx, ConnectionEntity, {
            ...values,
            id,
            spaceId,
            providerId,
            ownerUserId,
            name: name ?? provider.name,
            createdBy: userId,
          })
        : await updateRow(
            tx,
            ConnectionEntity,
            { id },
            {
              ...values,
              ...(name !== null && { name }),
              grantNumber: () => 'grant_number + 1',
              generation: () => 'generation + 1',
              fencingToken: () => 'fencing_token + 1',
              updatedAt: () => 'clock_timestamp()',
            },
          );
    await recordAudit(tx, call.by, {
      action: 'connection.connect',
      targetType: 'connection',
      targetId: id,
      details: { name: connection.name, provider: provider.name, kind, owner, again: current !== null },
      requestId: call.requestId,
    });
    const path = connectionPath({ id, providerId, ownerUserId });
    await this.observers.usable(tx, { spaceId, path, ownerUserId, connectedBy: userId });
    return connection;
  }

  private async findCurrent(
    tx: EntityManager,
    { by }: AuditedCall,
    providerId: string,
    owner: ConnectionOwner,
    connectionId: string | null,
  ): Promise<ConnectionEntity | null> {
    if (owner === 'me') return findOwn(tx, providerId, by.userId);
    if (connectionId !== null) {
      const current = await getConnection(tx, by, connectionId, { lock: true });
      if (current.ownerUserId !== null || current.providerId !== providerId)
        throw conflict('The connection belongs to somebody else');
      return current;
    }
    if ((await countOfSpace(tx, by.spaceId)) >= MAX_OF_SPACE)
      throw conflict(`The space has ${MAX_OF_SPACE} connections, which is the most that it can have`);
    return null;
  }

  private async ownTokens(provider: ConnectionProviderEntity): Promise<Tokens> {
    try {
      return await this.client.ownTokens(provider);
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      const why = error.code === null ? '' : ` (${error.code})`;
      const message =
        error.kind === 'unreachable' ? 'The provider did not respond' : `The provider gave no token${why}`;
      throw new AppError('TOOL_ERROR', message);
    }
  }
}

/** Only admins make, sign in to, change, and revoke what the whole space uses. */
export function assertMayOwn(by: Pick<UserPrincipal, 'role'>, owner: 'me' | 'space'): void {
  if (owner === 'space' && by.role !== 'ADMIN')
    throw forbidden('Only admins of the space may manage connections of the space');
}
