import type { CallPolicy, MethodBinding, MethodRetry } from '@platform/contracts';
import type { PendingDefinition } from '../mcp-client/mcp-methods.store.ts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A method of a tool: one endpoint. */
@Entity('tool_method')
export class ToolMethodEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  toolId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('text')
  httpMethod!: string;

  @Column('text')
  path!: string;

  @Column('text', { nullable: true })
  serverUrl!: string | null;

  @Column('json')
  inputSchema!: Record<string, unknown>;

  @Column('json')
  outputSchema!: Record<string, unknown>;

  /** JSON Pointers. Null: all. */
  @Column('json', { nullable: true })
  outputFields!: string[] | null;

  @Column('json')
  bindings!: MethodBinding[];

  @Column('text', { nullable: true })
  bodyMediaType!: string | null;

  @Column('json', { nullable: true })
  encoding!: Record<string, unknown> | null;

  @Column('text')
  operationKey!: string;

  @Column('boolean')
  acts!: boolean;

  @Column('json', { nullable: true })
  imported!: Record<string, unknown> | null;

  @Column('int', { default: 0 })
  cacheTtlSeconds!: number;

  @Column('json')
  retry!: MethodRetry;

  @Column('int', { default: 30000 })
  timeoutMs!: number;

  /** Null: the default. */
  @Column('json', { nullable: true })
  policy!: CallPolicy | null;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('boolean', { default: false })
  deprecated!: boolean;

  /** The hash of the definition of an MCP server that an admin approved. */
  @Column('text', { nullable: true })
  approved!: string | null;

  /** What the server offers instead. Until an admin approves it, the method is not used. */
  @Column('json', { nullable: true })
  pending!: PendingDefinition | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
