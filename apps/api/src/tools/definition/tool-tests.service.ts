import { Injectable } from '@nestjs/common';
import type { SavedTool, Tool, ToolTestResult } from '@platform/contracts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { BLOCKED, GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { noResponse } from '../calls/tool-calls.service.ts';
import { McpListingService } from '../mcp-client/mcp-listing.service.ts';
import { LIST_LIMITS } from '../mcp-client/tool-list.ts';
import { serverOf } from './tool-credentials.ts';
import type { ToolEntity } from './tool.entity.ts';
import { getTool } from './tools.store.ts';

const TIMEOUT_MS = 10_000;
const NOT_TESTED: ToolTestResult = { ok: false, latencyMs: null, message: 'The tool could not be tested' };

/** Finds out whether the server of a tool responds. */
@Injectable()
export class ToolTestsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly http: GuardedHttp,
    private readonly listing: McpListingService,
    private readonly identity: IdentityService,
  ) {}

  /** Adds the result of a test to a tool that was just saved, if it is wanted. Whatever fails is a result. */
  async withTest({ by }: AuditedCall, tool: Tool, isWanted: boolean): Promise<SavedTool> {
    if (!isWanted) return tool;
    const test = await this.test(by, tool.id).catch(() => NOT_TESTED);
    return { ...tool, test };
  }

  private async test(by: UserPrincipal, toolId: string): Promise<ToolTestResult> {
    const tool = await getTool(this.database.manager, by.spaceId, toolId);
    const started = performance.now();
    try {
      const message = tool.kind === 'mcp' ? await this.listTools(by, tool) : await this.reach(by, tool);
      return { ok: true, latencyMs: Math.round(performance.now() - started), message };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ok: false, latencyMs: null, message: error.message };
    }
  }

  private async listTools({ userId }: UserPrincipal, tool: ToolEntity): Promise<string> {
    const limits = { ...LIST_LIMITS, timeoutMs: TIMEOUT_MS };
    const { tools } = await this.listing.list(userId, serverOf(this.secrets, tool), limits);
    return `The server offers ${tools.size === 1 ? '1 tool' : `${tools.size} tools`}`;
  }

  /** Without credentials, and at an address that no method may have: only whether there is a response. */
  private async reach({ userId }: UserPrincipal, { serverUrl }: ToolEntity): Promise<string> {
    try {
      const request = { method: 'HEAD', skipBody: true, timeoutMs: TIMEOUT_MS };
      const { status } = await this.http.fetch(serverUrl, request);
      return `The server responded with status ${status}`;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      const isTold = error.isBlocked && (await this.identity.isInstallationAdmin(userId));
      throw noResponse(isTold ? BLOCKED : null);
    }
  }
}
