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

  /** The task that it starts; null: that of the subscription. */
  @Column('uuid', { nullable: true })
  taskId!: string | null;

  /** Of the value of the key, the event, and the task. */
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
