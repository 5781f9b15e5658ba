import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LocalToolResult } from './local-tool-call.store.ts';

/** A tool call that the client runs, with its first result. */
@Entity('local_tool_call')
export class LocalToolCallEntity {
  @PrimaryColumn('uuid')
  turnId!: string;

  @PrimaryColumn('text')
  callId!: string;

  /** The first result that arrived in time. */
  @Column('json', { nullable: true })
  outcome!: LocalToolResult | null;

  /** From then on, the call counts as failed. */
  @Column('timestamptz')
  expiresAt!: Date;
}
