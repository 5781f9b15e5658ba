import { Entity, PrimaryColumn } from 'typeorm';

/** An event of a batch that has not started. */
@Entity('batched_event')
export class BatchedEventEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('uuid')
  envelopeId!: string;
}
