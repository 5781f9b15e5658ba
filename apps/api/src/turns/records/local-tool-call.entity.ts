import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('local_tool_call')
export class LocalToolCallEntity {
  @PrimaryColumn('uuid')
  turnId!: string;

  @PrimaryColumn('text')
  callId!: string;

  @Column('json', { nullable: true })
  outcome!: unknown;

  @Column('timestamptz')
  expiresAt!: Date;
}
