import type { ChangeKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That a row of another table has changed. Triggers of the database write it, in the transaction of the change. */
@Entity('change')
export class ChangeEntity {
  /** The transaction, as a number. */
  @PrimaryColumn('bigint')
  xid!: string;

  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  n!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  kind!: ChangeKind;

  @Column('uuid')
  refId!: string;

  @Column('text', { nullable: true })
  status!: string | null;

  /** The ids of the people who hear of it; null: every member of the space. */
  @Column('text', { array: true, nullable: true })
  audience!: string[] | null;

  /** Whether admins hear of it as well. */
  @Column('boolean')
  forAdmins!: boolean;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
