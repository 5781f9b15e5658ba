import { Column, Entity, PrimaryColumn } from 'typeorm';

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
