import type { ToolAuthStatus, ToolIdempotency, ToolKind, ToolRedirects } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tool that calls an HTTP API or an MCP server. */
@Entity('tool')
export class ToolEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('text')
  kind!: ToolKind;

  @Column('text')
  serverUrl!: string;

  /** Which redirects its calls follow. */
  @Column('text', { default: 'same-origin' })
  redirects!: ToolRedirects;

  /** How calls that act name their effects. */
  @Column('json', { default: { header: 'Idempotency-Key', isHonored: false } })
  idempotency!: ToolIdempotency;

  @Column('json')
  auth!: ToolAuthStatus;

  @Column('text', { nullable: true })
  authSecret!: string | null;

  @Column('int', { default: 1 })
  credentialsVersion!: number;

  /** When the methods of an MCP server were last compared with what it offers. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  checkedAt!: Date | null;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
