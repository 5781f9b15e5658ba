import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tool that has received a token of a connection. */
@Entity('connection_use')
export class ConnectionUseEntity {
  @PrimaryColumn('uuid')
  connectionId!: string;

  @PrimaryColumn('uuid')
  toolId!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  firstUsedAt!: Date;
}
