import { Body, Controller, Get, Put } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { McpOffersService } from './mcp-offers.service.ts';
import { McpOffersDto, UpdateMcpOffersDto } from './mcp.dto.ts';

@Controller('mcp/offers')
export class McpOffersController {
  constructor(private readonly offers: McpOffersService) {}

  /** Returns what the space offers to MCP clients, and the address for them. */
  @Get()
  @Access('member', 'use', 'manage')
  getMcpOffers(@Caller() { spaceId }: UserPrincipal): Promise<McpOffersDto> {
    return this.offers.get(spaceId);
  }

  /** Replaces what the space offers to MCP clients: at most 128 tools in all. */
  @Put()
  @Access('admin', 'manage')
  updateMcpOffers(@Audited() call: AuditedCall, @Body() body: UpdateMcpOffersDto): Promise<McpOffersDto> {
    return this.offers.replace(call, body);
  }
}
