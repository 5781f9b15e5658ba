import { Body, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IdentityService } from '../auth/people/identity.service.ts';
import { Audited, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import { invalid } from '../infra/errors/app-error.ts';
import { Access } from '../infra/routes/access.ts';
import { BodyLimit } from '../infra/routes/body-limit.ts';
import { McpServerService } from './mcp-server.service.ts';
import { MCP_REQUEST, MCP_RESPONSE } from './mcp.schema.ts';

/** The MCP server of a space: Streamable HTTP without sessions. */
@Access('member', 'invoke', 'use', 'manage')
@BodyLimit('values')
@Controller('mcp')
export class McpController {
  constructor(
    private readonly identity: IdentityService,
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
    if (typeof body !== 'object' || body === null) throw invalid('The body must be a message of JSON-RPC');
    await this.server.respond(call, req, res, body);
  }
}
