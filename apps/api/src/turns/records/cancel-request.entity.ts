import { Column, Entity, PrimaryColumn } from 'typeorm';

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
