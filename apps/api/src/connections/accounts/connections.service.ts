import { Injectable, type OnModuleInit } from '@nestjs/common';
import type {
  AuditAction,
  Connection,
  ConnectionDetail,
  CreateConnectionRequest,
  Page,
  UserSummary,
} from '@platform/contracts';
import { In, type EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { COUNTED, holdingsOf, MemberRemovalsRegistry } from '../../auth/people/member-removals.registry.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { updateRow } from '../../infra/database/entity-rows.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { ConnectionUsersRegistry } from '../records/connection-users.registry.ts';
import { ConnectionEntity } from '../records/connection.entity.ts';
import {
  getConnection,
  getProvider,
  listConnections,
  listNamesOf,
  revokeAllOf,
  revokeConnection,
} from '../records/connections.store.ts';
import { assertMayOwn, ConnectingService } from './connecting.service.ts';

const MAX_TOOLS = 50;

/** The connections of people and of the space. */
@Injectable()
export class ConnectionsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly connecting: ConnectingService,
    private readonly users: ConnectionUsersRegistry,
    private readonly identity: IdentityService,
    private readonly removals: MemberRemovalsRegistry,
  ) {}

  onModuleInit(): void {
    this.removals.register({
      preview: async (manager, removed) => ({
        connections: holdingsOf(await listNamesOf(manager, removed, COUNTED)),
      }),
      remove: async (tx, { spaceId, userId }, call) => {
        for (const { id, name } of await revokeAllOf(tx, { spaceId, userId }))
          await auditConnection(tx, call, 'connection.revoke', { id, name }, { reason: 'member removed' });
      },
    });
  }

  async list(caller: UserPrincipal, { limit, cursor }: PageDto): Promise<Page<Connection>> {
    const { spaceId, userId } = caller;
    const filter = { connectionsOf: [spaceId, userId] };
    const before = this.cursors.idAfter(cursor, filter);
    const { manager } = this.database;
    const found = await listConnections(manager, caller, before, limit + 1);
    const described = await this.describe(manager, found);
    return this.cursors.page(
      described,
      limit,
      filter,
      ({ id }) => [id],
      (one) => one,
    );
  }

  async get(caller: UserPrincipal, id: string): Promise<ConnectionDetail> {
    const { manager } = this.database;
    const connection = await getConnection(manager, caller, id);
    const { spaceId, ownerUserId, providerId } = connection;
    // Tools name a connection of the space, but only the provider of a person's own.
    const refers = ownerUserId === null ? { connectionId: id } : { providerId };
    const tools = await this.users.list(this.database, spaceId, refers, MAX_TOOLS);
    return { ...(await this.describeOne(manager, connection)), tools };
  }

  async create(call: AuditedCall, request: CreateConnectionRequest): Promise<Connection> {
    const { by } = call;
    const owner = request.owner ?? 'me';
    assertMayOwn(by, owner);
    const provider = await getProvider(this.database.manager, by.spaceId, request.providerId);
    const tokens = await this.connecting.withoutSignIn(provider, owner, request);
    const connection = await this.connecting.store(call, {
      provider,
      owner,
      name: request.name ?? null,
      tokens,
    });
    return this.describeOne(this.database.manager, connection);
  }

  async rename(call: AuditedCall, id: string, name: string): Promise<Connection> {
    return this.database.transaction(async (tx) => {
      const current = await this.lockOwn(tx, call.by, id);
      const updatedAt = () => 'clock_timestamp()';
      const connection = await updateRow(tx, ConnectionEntity, { id: current.id }, { name, updatedAt });
      await auditConnection(tx, call, 'connection.update', connection, { before: current.name });
      return this.describeOne(tx, connection);
    });
  }

  async revoke(call: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { id: own } = await this.lockOwn(tx, call.by, id);
      const revoked = await revokeConnection(tx, own);
      if (revoked !== null) await auditConnection(tx, call, 'connection.revoke', revoked, {});
    });
  }

  /** Throws FORBIDDEN for one of the space if the caller is no admin. */
  async lockOwn(tx: EntityManager, by: UserPrincipal, id: string): Promise<ConnectionEntity> {
    const connection = await getConnection(tx, by, id, { lock: true });
    if (connection.ownerUserId === null) assertMayOwn(by, 'space');
    return connection;
  }

  /** Throws VALIDATION_ERROR unless tools of the space can refer to it. */
  async assertReferable(
    tx: EntityManager,
    spaceId: string,
    ref: { connectionId: string | null; providerId: string | null },
  ): Promise<void> {
    const { connectionId, providerId } = ref;
    const isKnown =
      connectionId !== null
        ? await tx
            .findOneBy(ConnectionEntity, { id: connectionId, spaceId })
            .then((found) => found !== null && found.ownerUserId === null && found.status !== 'REVOKED')
        : await tx
            .findOneBy(ConnectionProviderEntity, { id: providerId ?? '', spaceId })
            .then((found) => found !== null && found.deletedAt === null);
    if (!isKnown)
      throw invalid(
        connectionId !== null
          ? 'auth.connectionId must be the id of a connection of the space'
          : 'auth.providerId must be the id of a provider of the space',
      );
  }

  private async describeOne(tx: EntityManager, connection: ConnectionEntity): Promise<Connection> {
    const [described] = await this.describe(tx, [connection]);
    if (described === undefined) throw new Error('One connection is described as one');
    return described;
  }

  private async describe(tx: EntityManager, found: ConnectionEntity[]): Promise<Connection[]> {
    const ids = [...new Set(found.map(({ providerId }) => providerId))];
    const providers = await tx.findBy(ConnectionProviderEntity, { id: In(ids) });
    const byId = new Map(providers.map((provider) => [provider.id, provider]));
    const owners = [...new Set(found.flatMap(({ ownerUserId }) => ownerUserId ?? []))];
    const people = await this.identity.findUsersByIds(owners, tx);
    return found.map((connection) => {
      const { ownerUserId } = connection;
      const owner = ownerUserId === null ? null : (people.get(ownerUserId) ?? null);
      return toConnection(connection, byId.get(connection.providerId), owner);
    });
  }
}

function toConnection(
  connection: ConnectionEntity,
  provider: ConnectionProviderEntity | undefined,
  owner: UserSummary | null,
): Connection {
  const { id, name, kind, scopes, origins, account, status, reason, expiresAt } = connection;
  const { lastUsedAt, refusedAt, createdAt, providerId, refreshToken } = connection;
  return {
    id,
    name,
    kind,
    provider: { id: providerId, name: provider?.name ?? '' },
    owner,
    issuer: provider?.oauth?.issuer ?? null,
    scopes,
    origins,
    account,
    status,
    reason,
    expiresAt: expiresAt?.toISOString() ?? null,
    renews: refreshToken !== null || kind === 'oauth2-client',
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    refusedAt: refusedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

async function auditConnection(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, name }: { id: string; name: string },
  more: object,
): Promise<void> {
  const details = { name, ...more };
  await recordAudit(tx, by, { action, targetType: 'connection', targetId: id, details, requestId });
}
