import type { TurnStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';
import type { TurnFailure, TurnSettings } from './turn.ts';

/** A turn: one message of the user and everything the agent does about it. */
@Entity('turn')
export class TurnEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  agentId!: string;

  @Column('uuid')
  userId!: string;

  @Column('uuid')
  sessionId!: string;

  /** The UUID that the client chose, in lowercase; unique per user and agent. */
  @Column('text')
  clientTurnId!: string;

  /** The position in the session, starting at 1. A rerun moves the turn to the end. */
  @Column('int')
  n!: number;

  /** Identifies a repeated request with the same contents and inputs. */
  @Column('bytea')
  contentsHash!: Buffer;

  @Column('text')
  status!: TurnStatus;

  /** The request, as it is needed for reruns. */
  @Column('json')
  settings!: TurnSettings;

  /** The name of the model that the agent requested. */
  @Column('text')
  model!: string;

  @Column('json', { nullable: true })
  error!: TurnFailure | null;

  /** Of all model calls. Saturates at the largest int. */
  @Column('int', { default: 0 })
  promptTokens!: number;

  @Column('int', { default: 0 })
  completionTokens!: number;

  /** In the currency of the prices of the model. */
  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, default: 0 })
  cost!: number;

  /** Whether some tokens were counted locally. */
  @Column('boolean', { default: false })
  estimated!: boolean;

  /** Of all runs together, without the time in which it waited for input. */
  @Column('bigint', { transformer: asNumber, default: 0 })
  executionMs!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** When the turn first became RUNNING. */
  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  /** The reservation of the current model call. */
  @Column('uuid', { nullable: true })
  reservationId!: string | null;

  /** The run of a task whose step started the turn. */
  @Column('uuid', { nullable: true })
  causationRunId!: string | null;

  /** What the ledger entries name as the source. */
  @Column('text', { nullable: true })
  source!: TurnSettings['source'] | null;

  /** The code of `error`, for statements: operators on JSON reject some stored texts. */
  @Column('text', { nullable: true })
  errorCode!: string | null;

  /** Counted by the previous version alone; the next migration that may assume this version drops it. */
  @Column('int', { default: 0 })
  statusChanges!: number;
}
