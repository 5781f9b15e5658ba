import type { ApplicationManifest } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The manifest of the version that is installed, or that was installed last. */
@Entity('application_manifest')
export class ApplicationManifestEntity {
  @PrimaryColumn('uuid')
  applicationId!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  version!: string;

  @Column('json')
  manifest!: ApplicationManifest;

  @Column('bytea')
  manifestHash!: Buffer;

  @Column('int')
  eventCount!: number;

  @Column('int')
  tableCount!: number;

  @Column('int')
  taskCount!: number;

  @Column('uuid')
  installedBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  installedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
