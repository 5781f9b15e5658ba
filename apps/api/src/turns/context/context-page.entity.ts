import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Merged steps of ended turns, as the elements of a JSON array; can be deleted at any time. */
@Entity('context_page')
export class ContextPageEntity {
  @PrimaryColumn('uuid')
  sessionId!: string;

  @PrimaryColumn('int')
  fromTurn!: number;

  @Column('int')
  toTurn!: number;

  @Column('text')
  steps!: string;
}
