import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A response that the server of a model stores, or an item of one. */
@Entity('relay_response')
export class RelayResponseEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  /** The API key that created it, or the user who did so with an access token. */
  @PrimaryColumn('uuid')
  ownerId!: string;

  /** As the server named it. */
  @PrimaryColumn('text')
  id!: string;

  /** The name of the model. */
  @Column('text')
  model!: string;

  /** The id of the server; null if the previous version wrote it. */
  @Column('text', { nullable: true })
  server!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
