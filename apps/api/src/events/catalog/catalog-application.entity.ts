import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An application that has or had events, by the name that the catalog shows. */
@Entity('catalog_application')
export class CatalogApplicationEntity {
  @PrimaryColumn('uuid')
  applicationId!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;
}
