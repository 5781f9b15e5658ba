import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret that signs the webhooks of a space. A space has at most one without `expiresAt`: the current one. */
@Entity('webhook_secret')
export class WebhookSecretEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  /** The encrypted secret. */
  @Column('text')
  sealed!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** A replaced secret signs, beside the current one, until then. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;
}
