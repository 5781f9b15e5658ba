import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Events that a subscription collects until they start a run together. */
@Entity('event_batch')
export class EventBatchEntity {
  /** The run does not exist before the batch starts. */
  @PrimaryColumn('uuid')
  runId!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  subscriptionId!: string;

  /** Of the value of the key. */
  @Column('bytea')
  keyHash!: Buffer;

  /** Whether further events join it. */
  @Column('boolean', { default: true })
  isOpen!: boolean;

  @Column('int', { default: 0 })
  eventCount!: number;

  /** What its items have as JSON. */
  @Column('int', { default: 0 })
  bytes!: number;

  @Column('timestamptz')
  dueAt!: Date;
}
