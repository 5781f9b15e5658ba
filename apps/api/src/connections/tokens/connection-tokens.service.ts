import { Injectable } from '@nestjs/common';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { runUnlessAborted } from '../../infra/runtime/until-aborted.ts';
import { ConnectionNeeded } from '../records/connection-needed.ts';
import { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { insertUse } from '../records/connections.store.ts';
import { findUsable, markRefused, markUsed, type UsableRow } from '../records/leases.store.ts';
import { RenewalsService } from './renewals.service.ts';

/** Whose connection a tool calls with: one of the space, or that of the person with a provider. */
export type ConnectionRef = { connectionId: string } | { providerId: string };

/** Who calls which tool, and where the secret goes to. */
export interface ConnectionUse {
  spaceId: string;
  userId: string;
  /** Null: a test, which is no use. */
  toolId: string | null;
  toolName: string;
  origin: string;
  signal?: AbortSignal;
}

/** What authenticates one call. */
export interface ConnectionCredentials {
  connectionId: string;
  /** Changes whenever its owner connects again, perhaps as somebody else. */
  grantNumber: number;
  generation: number;
  /** How the secret is sent. */
  sends:
    | { type: 'bearer' }
    | { type: 'basic'; username: string }
    | { type: 'header'; name: string }
    | { type: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string };
  secret: string;
}

/** The most pairs of connection and tool that a process remembers as recorded. */
const MAX_NOTED = 10_000;

/** The secrets of connections, for the calls of those whose they are. */
@Injectable()
export class ConnectionTokensService {
  private readonly noted = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly renewals: RenewalsService,
    private readonly identity: IdentityService,
  ) {}

  /**
   * Returns what authenticates a call of the person, renewed if it is about to expire. Throws `ConnectionNeeded` if somebody
   * must connect or sign in again, and TOOL_ERROR if the connection is not for that origin or the provider is down.
   */
  async credentialsFor(ref: ConnectionRef, use: ConnectionUse): Promise<ConnectionCredentials> {
    const found = await this.find(ref, use);
    if (found === null) throw await this.missing(ref, use);
    this.assertOrigin(found, use);
    const row = found.isDue && !found.isBackingOff ? await this.renewed(found, use) : found;
    if (row.status === 'EXPIRED') throw needed(row, use);
    if (row.isExpired)
      throw row.hasRefreshToken || row.kind === 'oauth2-client' ? down(row) : needed(row, use);
    return this.open(row, use);
  }

  /**
   * A server refused what `credentialsFor` returned. Returns other credentials if the connection has been renewed since, or can
   * be: once for each access token. Otherwise throws as `credentialsFor` does.
   */
  async credentialsAfterRefusal(
    ref: ConnectionRef,
    use: ConnectionUse,
    refused: ConnectionCredentials,
  ): Promise<ConnectionCredentials> {
    const found = await this.find(ref, use);
    if (found === null) throw await this.missing(ref, use);
    if (found.status === 'EXPIRED') throw needed(found, use);
    if (found.id !== refused.connectionId || found.generation !== refused.generation) {
      this.assertOrigin(found, use);
      return this.open(found, use);
    }
    const canRenew = found.hasRefreshToken || found.kind === 'oauth2-client';
    // The token was refused right after it was renewed, or cannot be.
    if (!canRenew || found.refusedGeneration === found.generation) {
      await this.markRefused(refused);
      throw rejected(found, use);
    }
    const row = found.isBackingOff ? found : await this.renewed(found, use);
    if (row.status === 'EXPIRED') throw needed(row, use);
    if (row.generation === refused.generation) throw down(row);
    return this.open(row, use);
  }

  /** The server refused the access token although it was renewed for this call. */
  async refusedAgain(ref: ConnectionRef, use: ConnectionUse, refused: ConnectionCredentials): Promise<never> {
    await this.markRefused(refused);
    const found = await this.find(ref, use);
    throw found === null ? await this.missing(ref, use) : rejected(found, use);
  }

  private async markRefused({ connectionId, generation }: ConnectionCredentials): Promise<void> {
    await markRefused(this.database, connectionId, generation);
  }

  private find(ref: ConnectionRef, { spaceId, userId }: ConnectionUse): Promise<UsableRow | null> {
    if ('connectionId' in ref)
      return isUuid(ref.connectionId)
        ? findUsable(this.database, spaceId, { connectionId: ref.connectionId })
        : Promise.resolve(null);
    const { providerId } = ref;
    return isUuid(providerId)
      ? findUsable(this.database, spaceId, { providerId, userId })
      : Promise.resolve(null);
  }

  /** The row after it was renewed, or after it could not be. */
  private async renewed(row: UsableRow, { signal }: ConnectionUse): Promise<UsableRow> {
    const renew = () => this.renewals.renew(row.id, row.generation);
    await (signal === undefined ? renew() : runUnlessAborted(signal, renew));
    return (await findUsable(this.database, row.spaceId, { id: row.id })) ?? { ...row, status: 'EXPIRED' };
  }

  private async missing(ref: ConnectionRef, { spaceId, userId, toolName }: ConnectionUse): Promise<AppError> {
    if ('connectionId' in ref)
      return new AppError('TOOL_ERROR', `The connection of the tool ${toolName} was revoked`);
    const { providerId: id } = ref;
    const provider = await this.database.manager.findOneBy(ConnectionProviderEntity, { id, spaceId });
    if (provider === null || provider.deletedAt !== null)
      return new AppError('TOOL_ERROR', `What the tool ${toolName} connects to was deleted`);
    return new ConnectionNeeded(`Connect ${provider.name}: the tool ${toolName} calls it on your behalf`, {
      providerId: id,
      ownerUserId: userId,
    });
  }

  /** The owner consented to origins, not to whatever an admin adds later. */
  private assertOrigin(row: UsableRow, use: ConnectionUse): void {
    if (row.origins.includes(use.origin)) return;
    if (row.providerOrigins.includes(use.origin))
      throw new ConnectionNeeded(
        `Connect ${row.providerName} again: its tools now also call ${use.origin}`,
        row,
      );
    throw new AppError(
      'TOOL_ERROR',
      `The connection with ${row.providerName} is not for ${use.origin}, where the tool ${use.toolName} would send it`,
    );
  }

  private async open(row: UsableRow, use: ConnectionUse): Promise<ConnectionCredentials> {
    let secret: string | null;
    try {
      secret = this.renewals.open(row, 'secret', row.secret);
    } catch (cause) {
      throw new AppError('TOOL_ERROR', `The connection ${row.name} cannot be read; connect again`, { cause });
    }
    if (secret === null) throw needed(row, use);
    await this.noteUse(row, use);
    const { id: connectionId, grantNumber, generation } = row;
    return { connectionId, grantNumber, generation, sends: sendingOf(row), secret };
  }

  /** The audit log says which tools have used a connection, each once. */
  private async noteUse(row: UsableRow, { userId, toolId, toolName }: ConnectionUse): Promise<void> {
    const { id, name, spaceId, isStale } = row;
    const use = `${id}:${toolId}`;
    if (toolId === null || (!isStale && this.noted.has(use))) return;
    await this.database.transaction(async (tx) => {
      await markUsed(tx, id);
      if (!(await insertUse(tx, id, toolId))) return;
      const by = await this.identity.findPrincipal(spaceId, userId, tx);
      if (by === null) return;
      const details = { name, toolId, tool: toolName };
      await recordAudit(tx, by, {
        action: 'connection.use',
        targetType: 'connection',
        targetId: id,
        details,
      });
    });
    if (this.noted.size >= MAX_NOTED) this.noted.clear();
    this.noted.add(use);
  }
}

function sendingOf({ kind, placement, username }: UsableRow): ConnectionCredentials['sends'] {
  if (kind === 'basic') return { type: 'basic', username: username ?? '' };
  if (kind === 'header') return { type: 'header', name: placement?.name ?? '' };
  if (kind === 'key') return { type: 'apiKey', in: placement?.in ?? 'header', name: placement?.name ?? '' };
  return { type: 'bearer' };
}

const signInAgain = ({ ownerUserId, providerName }: UsableRow) =>
  ownerUserId === null
    ? `An admin must sign in to ${providerName} again`
    : `Sign in to ${providerName} again`;

function needed(row: UsableRow, { toolName }: ConnectionUse): ConnectionNeeded {
  return new ConnectionNeeded(`${signInAgain(row)}: the tool ${toolName} needs it`, row);
}

function rejected(row: UsableRow, { toolName }: ConnectionUse): ConnectionNeeded {
  return new ConnectionNeeded(`${signInAgain(row)}: the tool ${toolName} did not accept it`, row);
}

function down({ providerName, reason }: UsableRow): AppError {
  const message =
    reason === 'CLIENT_REFUSED'
      ? `${providerName} no longer accepts the platform: an admin must correct the client id and secret of the provider`
      : `${providerName} could not renew the access: it did not respond; try again later`;
  return new AppError('TOOL_ERROR', message);
}
