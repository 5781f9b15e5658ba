import { Injectable } from '@nestjs/common';
import type {
  AuditAction,
  ConnectionPresets,
  ConnectionProvider,
  CreateConnectionProviderRequest,
  Page,
  UpdateConnectionProviderRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { insertRow, updateRow } from '../../infra/database/entity-rows.ts';
import { violates } from '../../infra/database/rows.ts';
import { conflict, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { ConnectionProviderEntity } from '../records/connection-provider.entity.ts';
import { ConnectionUsersRegistry } from '../records/connection-users.registry.ts';
import {
  endConnections,
  getProvider,
  listProviders,
  newId,
  revokeAllOf,
} from '../records/connections.store.ts';
import { EndpointAddresses, originOf } from './endpoint-address.ts';
import { OauthClientService } from './oauth-client.service.ts';
import { PRESETS } from './presets.ts';
import { clientOf, toOAuthSettings } from './provider-definition.ts';

const MAX_PROVIDERS = 200;

type Definition = Pick<
  ConnectionProviderEntity,
  'kind' | 'origins' | 'placement' | 'oauth' | 'clientSecret' | 'testUrl'
>;

/** What people and the space can connect to. */
@Injectable()
export class ProvidersService {
  private readonly addresses: EndpointAddresses;

  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly secrets: SecretBox,
    private readonly client: OauthClientService,
    private readonly users: ConnectionUsersRegistry,
    config: PlatformConfig,
  ) {
    this.addresses = new EndpointAddresses(config.allowedPrivateHosts);
  }

  presets(): ConnectionPresets {
    return { items: [...PRESETS], callbackUrl: this.client.callbackUrl };
  }

  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<ConnectionProvider>> {
    const filter = { connectionProvidersOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const found = await listProviders(this.database.manager, spaceId, before, limit + 1);
    return this.cursors.page(
      found,
      limit,
      filter,
      ({ id }) => [id],
      (one) => this.describe(one),
    );
  }

  async get(spaceId: string, id: string): Promise<ConnectionProvider> {
    return this.describe(await getProvider(this.database.manager, spaceId, id));
  }

  async create(call: AuditedCall, request: CreateConnectionProviderRequest): Promise<ConnectionProvider> {
    const { spaceId, userId } = call.by;
    const { name, kind, origins, placement = null, oauth = null, clientSecret, testUrl = null } = request;
    return this.named(name, () =>
      this.database.transaction(async (tx) => {
        const others = await listProviders(tx, spaceId, null, MAX_PROVIDERS);
        if (others.length >= MAX_PROVIDERS)
          throw conflict(`The space has ${MAX_PROVIDERS} providers, which is the most that it can have`);
        const id = await newId(tx);
        const definition = this.checked({
          kind,
          origins: origins.flatMap((origin) => originOf(origin) ?? []),
          placement,
          oauth: oauth && toOAuthSettings(oauth),
          clientSecret: this.seal(spaceId, id, clientSecret),
          testUrl,
        });
        const preset = PRESETS.find((one) => one.id === request.preset)?.id ?? null;
        const values = { ...definition, id, spaceId, name, preset, createdBy: userId };
        const provider = await insertRow(tx, ConnectionProviderEntity, values);
        await audit(tx, call, 'connection-provider.create', provider, { kind });
        return this.describe(provider);
      }),
    );
  }

  async update(
    call: AuditedCall,
    id: string,
    change: UpdateConnectionProviderRequest,
  ): Promise<ConnectionProvider> {
    const { spaceId } = call.by;
    return this.named(change.name ?? '', () =>
      this.database.transaction(async (tx) => {
        const current = await getProvider(tx, spaceId, id, { lock: 'write' });
        const oauth = change.oauth ? toOAuthSettings(change.oauth) : current.oauth;
        const isMoved =
          oauth !== null && current.oauth !== null && clientOf(oauth) !== clientOf(current.oauth);
        if (isMoved && current.clientSecret !== null && change.clientSecret === undefined)
          throw invalid('clientSecret must be sent again with another server or client');
        const definition = this.checked({
          kind: current.kind,
          origins: change.origins?.flatMap((origin) => originOf(origin) ?? []) ?? current.origins,
          placement: change.placement ?? current.placement,
          oauth,
          clientSecret:
            change.clientSecret === undefined
              ? current.clientSecret
              : this.seal(spaceId, id, change.clientSecret),
          testUrl: change.testUrl === undefined ? current.testUrl : change.testUrl,
        });
        const ended = isMoved ? await endConnections(tx, id) : 0;
        const updatedAt = () => 'clock_timestamp()';
        const values = { ...definition, name: change.name ?? current.name, updatedAt };
        const provider = await updateRow(tx, ConnectionProviderEntity, { spaceId, id }, values);
        const details = { fields: Object.keys(change), ...(ended > 0 && { endedConnections: ended }) };
        await audit(tx, call, 'connection-provider.update', provider, details);
        return this.describe(provider);
      }),
    );
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    const { spaceId } = call.by;
    await this.database.transaction(async (tx) => {
      const provider = await getProvider(tx, spaceId, id, { lock: 'write' });
      const tools = await this.users.list(tx, spaceId, { providerId: id }, 3);
      if (tools.length > 0)
        throw conflict(`Tools refer to the provider: ${tools.map(({ name }) => name).join(', ')}`);
      const revoked = await revokeAllOf(tx, { providerId: id });
      const deletedAt = () => 'clock_timestamp()';
      await updateRow(tx, ConnectionProviderEntity, { spaceId, id }, { deletedAt });
      await audit(tx, call, 'connection-provider.delete', provider, { revokedConnections: revoked.length });
    });
  }

  describe(provider: ConnectionProviderEntity): ConnectionProvider {
    const { id, name, kind, preset, origins, placement, oauth, clientSecret, testUrl } = provider;
    return {
      id,
      name,
      kind,
      preset,
      origins,
      placement,
      oauth,
      hasClientSecret: clientSecret !== null,
      testUrl,
      callbackUrl: this.client.callbackUrl,
      createdAt: provider.createdAt.toISOString(),
      updatedAt: provider.updatedAt.toISOString(),
    };
  }

  /** What the kind does not use is left out. Throws VALIDATION_ERROR. */
  private checked(definition: Definition): Definition {
    const { kind, origins, placement, oauth, testUrl } = definition;
    const problems: string[] = [];
    const isOAuth = kind === 'oauth2';
    const isPlaced = kind === 'key' || kind === 'header';
    if (isPlaced && placement === null) problems.push('placement is required for this kind');
    if (kind === 'header' && placement !== null && placement.in !== 'header')
      problems.push('placement.in must be header for this kind');
    if (isOAuth && oauth === null) problems.push('oauth is required for this kind');
    if (isOAuth && oauth !== null) {
      const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, resource } = oauth;
      const addresses = { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, resource };
      for (const [field, address] of Object.entries(addresses)) {
        const problem =
          address === null && field !== 'tokenEndpoint' ? null : this.addresses.problemOf(address);
        if (problem !== null) problems.push(`oauth.${field} ${problem}`);
      }
    }
    if (testUrl !== null && !origins.includes(originOf(testUrl) ?? ''))
      problems.push('testUrl must be an address at one of the origins');
    if (problems.length > 0) throw invalidFor(problems);
    return {
      ...definition,
      placement: isPlaced ? placement : null,
      oauth: isOAuth ? oauth : null,
      clientSecret: isOAuth ? definition.clientSecret : null,
    };
  }

  private seal(spaceId: string, recordId: string, secret: string | null | undefined): string | null {
    return secret ? this.secrets.seal({ spaceId, recordId, field: 'clientSecret' }, secret) : null;
  }

  private async named<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!violates(error, 'connection_provider_name')) throw error;
      throw conflict(`name must be unique: a provider named ${name} already exists`);
    }
  }
}

async function audit(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, name }: ConnectionProviderEntity,
  more: object,
): Promise<void> {
  const details = { name, ...more };
  await recordAudit(tx, by, { action, targetType: 'connection-provider', targetId: id, details, requestId });
}
