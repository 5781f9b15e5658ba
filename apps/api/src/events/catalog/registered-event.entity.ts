import type { JsonSchema } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event that an application declares. */
@Entity('registered_event')
export class RegisteredEventEntity {
  @PrimaryColumn('uuid')
  applicationId!: string;

  @PrimaryColumn('text')
  name!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  description!: string;

  @Column('json')
  payloadSchema!: JsonSchema;

  @Column('bytea')
  schemaHash!: Buffer;

  @Column('int', { default: 1 })
  version!: number;

  @Column('int', { default: 1 })
  recursionLimit!: number;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;
}
