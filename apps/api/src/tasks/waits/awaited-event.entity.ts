import { Entity, PrimaryColumn } from 'typeorm';

/** An event that has ended a wait of a run, which has received its payload. A trigger of `run_wait` stores it. */
@Entity('awaited_event')
export class AwaitedEventEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('uuid')
  envelopeId!: string;
}
