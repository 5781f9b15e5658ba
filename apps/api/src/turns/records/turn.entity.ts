import type { TurnStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/columns.ts';
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

  @Column('text')
  clientTurnId!: string;

  @Column('int')
  n!: number;

  @Column('bytea')
  contentsHash!: Buffer;

  @Column('text')
  status!: TurnStatus;

  @Column('json')
  settings!: TurnSettings;

  @Column('text')
  model!: string;

  @Column('json', { nullable: true })
  error!: TurnFailure | null;

  @Column('int', { default: 0 })
  promptTokens!: number;

  @Column('int', { default: 0 })
  completionTokens!: number;

  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, default: 0 })
  cost!: number;

  @Column('boolean', { default: false })
  estimated!: boolean;

  @Column('bigint', { transformer: asNumber, default: 0 })
  executionMs!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('uuid', { nullable: true })
  reservationId!: string | null;

  @Column('uuid', { nullable: true })
  causationRunId!: string | null;

  @Column('text', { nullable: true })
  source!: TurnSettings['source'] | null;

  @Column('text', { nullable: true })
  errorCode!: string | null;
}
