import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsOptional, IsUUID } from 'class-validator';
import { checkTools } from '../../agents/agent-parts.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';

const MAX_OFFERS = 128;

class McpOfferDto {
  id!: string;
  /**
   * The name of the MCP tool, which stays when the agent or task is renamed.
   * @example ask_travel_planner
   */
  name!: string;
}

class McpToolOfferDto {
  /** The id of a tool, or the name of a built-in one. */
  toolId!: string;
  /** Null: all methods of the tool. */
  @ApiProperty({ type: [String], nullable: true })
  methods!: string[] | null;
}

class UnlistedMethodDto {
  toolId!: string;
  toolName!: string;
  /** @example listOrders */
  name!: string;
  /** Why: clients are offered at most 128 `tools`, and 2 MB (`bytes`) of descriptions and schemas of methods. */
  limit!: 'tools' | 'bytes';
}

export class McpOffersDto {
  /** The address for MCP clients. They sign in with OAuth, or with an API key. */
  url!: string;
  agents!: McpOfferDto[];
  tasks!: McpOfferDto[];
  tools!: McpToolOfferDto[];
  /** Whether clients can search and read the documents of the space. */
  knowledge!: boolean;
  /** How many methods of the tools are in no list, because clients are offered at most 128 tools, with 2 MB of schemas. */
  unlistedMethods!: number;
  /** The first 100 methods that are in no list, in the order of the tools. */
  unlisted!: UnlistedMethodDto[];
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
  @ApiProperty({ type: [McpToolOfferDto] })
  tools!: McpToolOfferDto[];

  /** Whether clients can search and read the documents of the space. Absent: as before; at first, they cannot. */
  @IsOptional()
  @IsBoolean()
  knowledge?: boolean;
}
