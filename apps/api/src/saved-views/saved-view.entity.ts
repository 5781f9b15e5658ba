import type { SavedViewPage } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Filters of a list that a person keeps by name. */
@Entity('saved_view')
export class SavedViewEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  ownerUserId!: string;

  @Column('text')
  page!: SavedViewPage;

  /** Unique among those of the owner, and among the shared ones, of the page, in any case. */
  @Column('text')
  name!: string;

  /** The filters, in their canonical form. */
  @Column('text')
  query!: string;

  /** Whether everybody who may open the page sees it. */
  @Column('boolean')
  shared!: boolean;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
