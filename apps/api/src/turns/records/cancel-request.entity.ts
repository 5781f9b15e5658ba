import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request to cancel a turn that was not known when it came; deleted after ten minutes. */
@Entity('cancel_request')
export class CancelRequestEntity {
  @PrimaryColumn('uuid')
  agentId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('text')
  clientTurnId!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
