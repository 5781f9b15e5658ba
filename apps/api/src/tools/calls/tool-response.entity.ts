import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A successful response that is used again until it expires. */
@Entity('tool_response')
export class ToolResponseEntity {
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  methodId!: string;

  @Column('int')
  status!: number;

  @Column('json', { nullable: true })
  output!: unknown;

  /** What callers are told about the output. */
  @Column('json', { default: () => "'[]'" })
  warnings!: string[];

  @Column('timestamptz')
  expiresAt!: Date;
}
