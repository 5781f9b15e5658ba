import { Injectable } from '@nestjs/common';
import type { ToolImport, ToolRedirects } from '@platform/contracts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import { BLOCKED, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { Secrets } from '../../models/port/secrets.ts';
import {
  CallCredentialsService,
  credentialsKeyOf,
  type CallCredentials,
} from '../calls/call-credentials.service.ts';
import { noResponse } from '../calls/tool-calls.service.ts';
import type { ExchangeLimits } from './guarded-fetch.ts';
import { McpConnectorService, McpRefusal, sessionKeyOf } from './mcp-connector.service.ts';
import { LIST_LIMITS, listServerTools, type ToolList } from './tool-list.ts';

const MAX_QUOTED_BYTES = 300;

/** The server of a tool, as it is stored. */
export interface ListedServer {
  spaceId: string;
  toolId: string;
  toolName: string;
  serverUrl: string;
  redirects: ToolRedirects;
  credentials: CallCredentials;
}

export type Offered = ToolList & { server: ToolImport['server'] };

/** Asks MCP servers for their tools, for people who manage them. */
@Injectable()
export class McpListingService {
  constructor(
    private readonly credentials: CallCredentialsService,
    private readonly connector: McpConnectorService,
    private readonly identity: IdentityService,
  ) {}

  /**
   * Returns what a server offers. Asks with the credentials of the tool; if each person has their own, with those of the user.
   * Throws TOOL_ERROR if the server cannot be read, and `CallPause` if the user must connect first.
   */
  async list(userId: string, asked: ListedServer, limits: ExchangeLimits = LIST_LIMITS): Promise<Offered> {
    const { credentials, serverUrl: url, redirects, toolId } = asked;
    const auth = await this.credentials.authenticate(credentials, {
      ...asked,
      userId,
      timeoutMs: limits.timeoutMs,
    });
    const server = { url, redirects, auth, key: null, causation: null };
    const sessionKey = sessionKeyOf(server, `${toolId}:${credentialsKeyOf(credentials, auth)}`, userId);
    try {
      return await this.connector.use({ ...limits, server, sessionKey }, async (session) => {
        const list = await listServerTools(session);
        const { name = null, version: release = null } = session.client.getServerVersion() ?? {};
        const protocolVersion = session.client.getNegotiatedProtocolVersion() ?? null;
        return { ...list, server: { name, version: release, protocolVersion } };
      });
    } catch (error) {
      throw await this.explain(error, userId, Secrets.of(...auth.secrets));
    }
  }

  private async explain(error: unknown, userId: string, secrets: Secrets): Promise<unknown> {
    if (error instanceof McpRefusal) {
      const { status, output } = error;
      const quoted =
        output === null ? '' : `: ${typeof output === 'string' ? output : JSON.stringify(output)}`;
      const text = secrets.mask(`The server responded with status ${status}${quoted}`);
      return new AppError('TOOL_ERROR', shortened(text.replaceAll('\0', ''), MAX_QUOTED_BYTES));
    }
    if (!(error instanceof OutgoingError)) return error;
    const isTold = error.isBlocked && (await this.identity.isInstallationAdmin(userId));
    return noResponse(isTold ? BLOCKED : null);
  }
}
