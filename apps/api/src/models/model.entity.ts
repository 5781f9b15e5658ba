import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/columns.ts';

@Entity('model')
export class ModelEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  provider!: string;

  @Column('text', { nullable: true })
  baseUrl!: string | null;

  @Column('text', { nullable: true })
  apiKey!: string | null;

  @Column('text', { nullable: true })
  upstreamModel!: string | null;

  @Column('int')
  contextWindow!: number;

  @Column('int')
  maxOutputTokens!: number;

  @Column('numeric', { precision: 18, scale: 6, transformer: asNumber, nullable: true })
  inputPerMillion!: number | null;

  @Column('numeric', { precision: 18, scale: 6, transformer: asNumber, nullable: true })
  outputPerMillion!: number | null;

  @Column('numeric', { precision: 18, scale: 6, transformer: asNumber, nullable: true })
  cachedInputPerMillion!: number | null;

  @Column('json')
  capabilities!: unknown;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  @Column('boolean', { default: false })
  loopbackAllowed!: boolean;
}
