import { Injectable } from '@nestjs/common';
import type { ConnectionTest } from '@platform/contracts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { getProvider } from '../records/connections.store.ts';
import { ConnectionTokensService, type ConnectionCredentials } from '../tokens/connection-tokens.service.ts';
import { ConnectionsService } from './connections.service.ts';

const TIMEOUT_MS = 10_000;

/** Finds out whether a connection is usable. */
@Injectable()
export class ConnectionTestsService {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionsService,
    private readonly tokens: ConnectionTokensService,
    private readonly http: GuardedHttp,
  ) {}

  async test({ by }: AuditedCall, id: string): Promise<ConnectionTest> {
    const { spaceId, userId } = by;
    const connection = await this.database.transaction((tx) => this.connections.lockOwn(tx, by, id));
    const { providerId, ownerUserId } = connection;
    const { testUrl, name } = await getProvider(this.database.manager, spaceId, providerId);
    const ref = ownerUserId === null ? { connectionId: id } : { providerId };
    const origin = testUrl === null ? connection.origins[0] : new URL(testUrl).origin;
    try {
      const credentials = await this.tokens.credentialsFor(ref, {
        spaceId,
        userId,
        toolId: null,
        toolName: name,
        origin: origin ?? '',
      });
      if (testUrl === null)
        return { usable: true, status: null, message: `${name} has no test address, so nothing was called` };
      return await this.call(testUrl, credentials);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { usable: false, status: null, message: error.message };
    }
  }

  private async call(address: string, { sends, secret }: ConnectionCredentials): Promise<ConnectionTest> {
    const url = new URL(address);
    const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': 'platform' };
    if (sends.type === 'bearer') headers.Authorization = `Bearer ${secret}`;
    else if (sends.type === 'basic')
      headers.Authorization = `Basic ${Buffer.from(`${sends.username}:${secret}`).toString('base64')}`;
    else if (sends.type === 'header' || sends.in === 'header') headers[sends.name] = secret;
    else if (sends.in === 'query') url.searchParams.set(sends.name, secret);
    else headers.Cookie = `${sends.name}=${encodeURIComponent(secret)}`;
    try {
      const { status, ok } = await this.http.fetch(url, { headers, skipBody: true, timeoutMs: TIMEOUT_MS });
      const message = ok ? `It responded with status ${status}` : `It refused the call with status ${status}`;
      return { usable: ok, status, message };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return { usable: false, status: null, message: 'The test address could not be reached' };
    }
  }
}
