import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsUUID } from 'class-validator';
import { checkTools } from '../agents/agent-parts.ts';
import { AgentToolDto } from '../agents/agents.dto.ts';
import { FreeForm } from '../infra/requests/free-form.ts';

const MAX_OFFERS = 128;

class McpOfferDto {
  id!: string;
  /**
   * The name of the MCP tool, which stays when the agent or task is renamed.
   * @example ask_travel_planner
   */
  name!: string;
}

export class McpOffersDto {
  /** The address for MCP clients. They sign in with an API key. */
  url!: string;
  agents!: McpOfferDto[];
  tasks!: McpOfferDto[];
  tools!: AgentToolDto[];
}

export class UpdateMcpOffersDto {
  /** The ids of agents. Callers see those that they may invoke. */
  @IsArray()
  @IsUUID('all', { each: true })
  @ArrayUnique()
  @ArrayMaxSize(MAX_OFFERS)
  agents!: string[];

  /** The ids of tasks of type MANUAL. Callers see those that they manage. */
  @IsArray()
  @IsUUID('all', { each: true })
  @ArrayUnique()
  @ArrayMaxSize(MAX_OFFERS)
  tasks!: string[];

  @FreeForm(checkTools)
  @ApiProperty({ type: [AgentToolDto] })
  tools!: AgentToolDto[];
}
