import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('turn_step')
export class StepEntity {
  @Column('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @PrimaryColumn('uuid')
  turnId!: string;

  @PrimaryColumn('int')
  n!: number;

  @Column('text')
  kind!: string;

  @Column('json')
  content!: unknown;

  @Column('int', { default: 0 })
  tokens!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('int', { nullable: true })
  bytes!: number | null;

  @Column('boolean', { default: false })
  isSilent!: boolean;
}
