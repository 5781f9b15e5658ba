import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { Caller, Audited, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { PageDto } from '../infra/requests/page.dto.ts';
import {
  AgentAccessDto,
  AgentAccessQueryDto,
  AgentDto,
  AgentListingDto,
  AgentPageDto,
  AgentQueryDto,
  AgentVersionPageDto,
  CreateAgentDto,
  UpdateAgentDto,
} from './agents.dto.ts';
import { AgentsService } from './agents.service.ts';

@Access('member', 'manage')
@Controller('agents')
export class AgentsController {
  constructor(private readonly agents: AgentsService) {}

  /**
   * Lists the agents of the space: complete for their owner and for admins, otherwise what every member may see. Sorted by
   * `updatedAt`, agents whose changes the caller may not see have the place of their creation.
   */
  @Access('member', 'invoke', 'manage')
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: AgentQueryDto): Promise<AgentPageDto> {
    return this.agents.list(caller, query);
  }

  /** Creates an agent. The caller owns it. */
  @Post()
  create(@Caller() caller: UserPrincipal, @Body() body: CreateAgentDto): Promise<AgentDto> {
    return this.agents.create(caller, body);
  }

  /** Returns an agent: complete for its owner and for admins, otherwise what every member may see. */
  @Access('member', 'invoke', 'manage')
  @Get(':agentId')
  @ApiExtraModels(AgentDto, AgentListingDto)
  @ApiOkResponse({
    schema: { anyOf: [{ $ref: getSchemaPath(AgentDto) }, { $ref: getSchemaPath(AgentListingDto) }] },
  })
  get(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
  ): Promise<AgentDto | AgentListingDto> {
    return this.agents.get(caller, agentId);
  }

  /** Changes the given fields. Only for the owner and admins. Every change makes a new version. */
  @Patch(':agentId')
  update(
    @Audited() call: AuditedCall,
    @Param('agentId') agentId: string,
    @Body() body: UpdateAgentDto,
  ): Promise<AgentDto> {
    return this.agents.update(call, agentId, body);
  }

  /** Deletes the agent. Nobody can see or invoke it any longer. Its turns that wait for a person are canceled within about a minute. */
  @Delete(':agentId')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('agentId') agentId: string): Promise<void> {
    return this.agents.delete(call, agentId);
  }

  /** Explains who may invoke the agent, and by which rule. */
  @Get(':agentId/access')
  access(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Query() { userId }: AgentAccessQueryDto,
  ): Promise<AgentAccessDto> {
    return this.agents.explainAccess(caller, agentId, userId);
  }

  /** Lists the versions of the agent, newest first. */
  @Get(':agentId/versions')
  versions(
    @Caller() caller: UserPrincipal,
    @Param('agentId') agentId: string,
    @Query() query: PageDto,
  ): Promise<AgentVersionPageDto> {
    return this.agents.listVersions(caller, agentId, query);
  }

  /** Makes a new version with the definition of version n. */
  @Post(':agentId/versions/:n/restore')
  @HttpCode(200)
  restore(
    @Audited() call: AuditedCall,
    @Param('agentId') agentId: string,
    @Param('n') n: string,
  ): Promise<AgentDto> {
    return this.agents.restore(call, agentId, n);
  }
}
