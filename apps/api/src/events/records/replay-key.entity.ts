import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which generation of an envelope a request for a replay was answered with. */
@Entity('replay_key')
export class ReplayKeyEntity {
  @PrimaryColumn('uuid')
  envelopeId!: string;

  @PrimaryColumn('text')
  requestKey!: string;

  @Column('int')
  generation!: number;
}
