import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IdentityService } from '../auth/people/identity.service.ts';
import { Audited, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { forbidden, invalid } from '../infra/errors/app-error.ts';
import { Access } from '../infra/routes/access.ts';
import { BodyLimit } from '../infra/routes/body-limit.ts';
import { McpServerService } from './server/mcp-server.service.ts';
import { isAllowedOrigin } from './server/origin.ts';
import { MCP_REQUEST, MCP_RESPONSE } from './mcp.schema.ts';

/** Clients of revisions before 2025-06-18 send several messages at once. */
const MAX_BATCH = 16;

/** The MCP server of a space: Streamable HTTP without sessions. */
@Access('member', 'invoke', 'use', 'manage')
@BodyLimit('values')
@Controller('mcp')
export class McpController {
  constructor(
    private readonly identity: IdentityService,
    private readonly config: PlatformConfig,
    private readonly server: McpServerService,
  ) {}

  /** Serves one request of an MCP client. */
  @Post(':spaceId')
  @ApiBody({ schema: MCP_REQUEST })
  @ApiOkResponse(MCP_RESPONSE)
  @HttpCode(200)
  async callMcp(
    @Audited() call: AuditedCall,
    @Param('spaceId') spaceId: string,
    @Body() body: unknown,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    await this.identity.assertOwnSpace(call.by, spaceId);
    if (!isAllowedOrigin(req.get('Origin'), this.config))
      throw forbidden('Pages of this origin must not call');
    if (typeof body !== 'object' || body === null) throw invalid('The body must be a message of JSON-RPC');
    // Each counts as a call, but the limit of calls counts requests.
    if (Array.isArray(body) && body.length > MAX_BATCH)
      throw invalid(`A batch must have at most ${MAX_BATCH} messages`);
    await this.server.respond(call, req, res, body);
  }
}
