import type {
  EnvelopeReason,
  EnvelopeStatus,
  EventSource,
  PayloadErasure,
  SubscriptionVerdict,
} from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A record of one emission. Partitioned by month. */
@Entity('envelope')
export class EnvelopeEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  applicationId!: string;

  @Column('text')
  event!: string;

  @Column('json')
  payload!: Record<string, unknown>;

  /** Of the payload in UTF-8, computed by the database. */
  @Column({ type: 'int', generatedType: 'STORED', asExpression: 'octet_length(payload::text)' })
  payloadBytes!: number;

  @Column('text')
  status!: EnvelopeStatus;

  @Column('text', { nullable: true })
  statusReason!: EnvelopeReason | null;

  @Column('text')
  source!: EventSource;

  @Column('text', { nullable: true })
  idempotencyKey!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  emittedAt!: Date;

  @Column('uuid', { nullable: true })
  actorUserId!: string | null;

  @Column('uuid', { nullable: true })
  causationId!: string | null;

  @Column('uuid', { nullable: true })
  causationRunId!: string | null;

  @Column('uuid')
  rootId!: string;

  @Column('int', { default: 0 })
  depth!: number;

  @Column('text', { array: true })
  path!: string[];

  @Column('int', { default: 0 })
  generation!: number;

  @Column('int', { default: 0 })
  matchedCount!: number;

  /** How many of the last deliveries to each subscription started no run, such as those of a disabled task. */
  @Column('int', { default: 0 })
  missedCount!: number;

  @Column('json', { nullable: true })
  verdicts!: SubscriptionVerdict[] | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dispatchedAt!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  /** What is left of a payload that was erased. */
  @Column('json', { nullable: true })
  erasure!: PayloadErasure | null;
}
