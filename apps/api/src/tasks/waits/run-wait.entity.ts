import type { EventFilter } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type WaitKind = 'TIME' | 'EVENT' | 'QUESTION' | 'RUN';

/** What a step waits for without a process. It ends when it is due, with what it has received by then. */
@Entity('run_wait')
export class RunWaitEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('text')
  scope!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  taskId!: string;

  /** Of the step. */
  @Column('int')
  attempt!: number;

  @Column('int')
  position!: number;

  @Column('text')
  kind!: WaitKind;

  /** Whether the run goes on although its task is disabled. */
  @Column('boolean')
  despiteDisabled!: boolean;

  /** When the step began: the wait is stored only when the dispatches of its space have paused. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Null: it ends only with a result. For a run: when it is looked at next. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** The output of the step. Null when the time of the wait has run out. */
  @Column('json', { nullable: true })
  result!: unknown;

  @Column('uuid', { nullable: true })
  applicationId!: string | null;

  @Column('text', { nullable: true })
  event!: string | null;

  @Column('json', { nullable: true })
  filter!: EventFilter | null;

  /** A field that an event must have with one value to fit the filter, and the hash of the value; empty if there is none. */
  @Column('text', { nullable: true })
  field!: string | null;

  @Column('text', { nullable: true })
  value!: string | null;

  /** Whether its end executes the step again instead of ending it. */
  @Column('boolean', { default: false })
  repeats!: boolean;

  @Column('uuid', { nullable: true })
  childRunId!: string | null;
}
