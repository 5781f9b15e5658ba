import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a space has set up for a tool of the platform. */
@Entity('tool_configuration')
export class ToolConfigurationEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('text')
  toolName!: string;

  @Column('json')
  configuration!: Record<string, unknown>;

  @Column('text', { nullable: true })
  secret!: string | null;

  @Column('uuid')
  updatedBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
