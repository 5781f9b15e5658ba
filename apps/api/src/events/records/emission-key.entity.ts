import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An idempotency key that an application has used for an event. */
@Entity('emission_key')
export class EmissionKeyEntity {
  @PrimaryColumn('uuid')
  applicationId!: string;

  @PrimaryColumn('text')
  event!: string;

  @PrimaryColumn('bytea')
  keyHash!: Buffer;

  @Column('uuid')
  envelopeId!: string;

  @Column('bytea')
  payloadHash!: Buffer;
}
