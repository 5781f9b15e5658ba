import { Injectable } from '@nestjs/common';
import type { ToolAuthStatus } from '@platform/contracts';
import { ConnectionNeeded } from '../../connections/records/connection-needed.ts';
import {
  ConnectionTokensService,
  type ConnectionCredentials,
  type ConnectionRef,
} from '../../connections/tokens/connection-tokens.service.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { authenticate } from './auth-kinds/auth-kinds.ts';
import { refOf } from './auth-kinds/connection.ts';
import { CallPause } from './call-pause.ts';

export interface CallCredentials {
  auth: ToolAuthStatus;
  /** The value, token, or password; null if none is stored. */
  secret: string | null;
  /** Changes with the credentials. */
  version: number;
}

/** Who calls which server with the credentials of a tool. */
export interface AuthenticatedCall {
  spaceId: string;
  /** The person in whose name the call is made: of the chat, of the API key, or the owner of the task. */
  userId: string;
  toolId: string;
  toolName: string;
  /** The secrets of connections are sent only to origins that their owners consented to. */
  serverUrl: string;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** What calls of tools authenticate with: the secret of the tool, or a connection. */
@Injectable()
export class CallCredentialsService {
  constructor(
    private readonly http: GuardedHttp,
    private readonly connections: ConnectionTokensService,
  ) {}

  /** Throws `CallPause` if a person must connect first, and TOOL_ERROR if there are no credentials for another reason. */
  authenticate(credentials: CallCredentials, call: AuthenticatedCall): Promise<AuthParts> {
    return this.apply(credentials, call, (ref) => this.connections.credentialsFor(ref, useOf(call)));
  }

  /**
   * The server responded with 401. Returns other credentials, with which the call can be made once more; null if the
   * credentials are not those of a connection. Throws as `authenticate` does.
   */
  async renew(
    credentials: CallCredentials,
    call: AuthenticatedCall,
    { connection }: AuthParts,
  ): Promise<AuthParts | null> {
    if (connection === undefined) return null;
    return this.apply(credentials, call, (ref) =>
      this.connections.credentialsAfterRefusal(ref, useOf(call), connection),
    );
  }

  /** The server responded with 401 to the renewed credentials, too. Always throws. */
  async giveUp({ auth }: CallCredentials, call: AuthenticatedCall, { connection }: AuthParts): Promise<void> {
    if (connection === undefined || auth.type !== 'connection') return;
    const ref = refOf(auth);
    await asPause(() => this.connections.refusedAgain(ref, useOf(call), connection));
  }

  private apply(
    { auth, secret, version }: CallCredentials,
    { toolId, timeoutMs, signal }: AuthenticatedCall,
    connect: (ref: ConnectionRef) => Promise<ConnectionCredentials>,
  ): Promise<AuthParts> {
    return asPause(() =>
      authenticate(auth, secret, {
        http: this.http,
        credentialsKey: `${toolId}:${version}`,
        connect,
        timeoutMs,
        ...(signal && { signal }),
      }),
    );
  }
}

/** What a cached response belongs to: nobody receives what another connection was sent. */
export function credentialsKeyOf({ version }: CallCredentials, { connection }: AuthParts): string | number {
  return connection === undefined
    ? version
    : `${version}:${connection.connectionId}:${connection.grantNumber}`;
}

function useOf({ serverUrl, spaceId, userId, toolId, toolName, signal }: AuthenticatedCall) {
  const { origin } = new URL(serverUrl);
  return { spaceId, userId, toolId, toolName, origin, ...(signal && { signal }) };
}

async function asPause<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectionNeeded)) throw error;
    const { message, path, owner } = error;
    throw new CallPause({ kind: 'CONNECTION', message, path, owner });
  }
}
