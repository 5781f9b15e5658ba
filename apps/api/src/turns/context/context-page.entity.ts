import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Merged steps of ended turns, as the elements of a JSON array; can be deleted at any time. */
@Entity('context_page')
export class ContextPageEntity {
  @PrimaryColumn('uuid')
  sessionId!: string;

  /** The first turn of the page, by its position. */
  @PrimaryColumn('int')
  fromTurn!: number;

  /** The last turn of the page, by its position. */
  @Column('int')
  toTurn!: number;

  /** JSON, as stored. Not parsed by the database, which would reject U+0000. */
  @Column('text')
  steps!: string;
}
