import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/entity-rows.ts';

/** How many bytes a space may store. Null: no limit. */
@Entity('storage_quota')
export class StorageQuotaEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @Column('bigint', { transformer: asNumber, nullable: true })
  eventBytes!: number | null;

  @Column('bigint', { transformer: asNumber, nullable: true })
  rowBytes!: number | null;
}
