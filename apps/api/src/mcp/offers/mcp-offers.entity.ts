import type { AgentTool } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An agent or a task, with the name of its tool, which stays when the agent or task is renamed. */
export interface NamedOffer {
  id: string;
  name: string;
}

/** What a space offers to MCP clients. */
@Entity('mcp_offers')
export class McpOffersEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @Column('json')
  agents!: NamedOffer[];

  @Column('json')
  tasks!: NamedOffer[];

  @Column('json')
  tools!: AgentTool[];

  /** Whether clients can search and read the documents. */
  @Column('boolean', { default: false })
  knowledge!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
