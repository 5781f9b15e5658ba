import type { ModelCapabilities, ModelKind, ModelPrice, ModelProviderKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

const PRICE = { precision: 18, scale: 6, transformer: asNumber, nullable: true } as const;

export class ModelPriceColumns implements ModelPrice {
  @Column('numeric', PRICE)
  inputPerMillion: number | null = null;

  @Column('numeric', PRICE)
  outputPerMillion: number | null = null;

  /** Null: cached input costs what input costs. */
  @Column('numeric', PRICE)
  cachedInputPerMillion: number | null = null;
}

/** What an admin defines, except for the API key. The initial values are the defaults of new models. */
export class ModelDefinition {
  @Column('text')
  name = '';

  @Column('text')
  provider: ModelProviderKind = 'openai-compatible';

  /** What it does. The offline model does all of it. */
  @Column('text')
  kind: ModelKind = 'chat';

  /** Null for an offline model, and only then. */
  @Column('text', { nullable: true })
  baseUrl: string | null = null;

  /** Null: the provider knows the model by the same name. */
  @Column('text', { nullable: true })
  upstreamModel: string | null = null;

  @Column('int')
  contextWindow = 128_000;

  @Column('int')
  maxOutputTokens = 4096;

  @Column(() => ModelPriceColumns, { prefix: false })
  price: ModelPrice = new ModelPriceColumns();

  @Column('json')
  capabilities: ModelCapabilities = { images: true, audio: false, files: true, tools: true };
}

/** A model in the catalog of a space. */
@Entity('model')
export class ModelEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column(() => ModelDefinition, { prefix: false })
  definition!: ModelDefinition;

  /** The API key, encrypted for this model of this space. Deleted models have none. */
  @Column('text', { name: 'api_key', nullable: true })
  sealedApiKey!: string | null;

  /** Whether an installation administrator chose the address: only then may the server be on loopback. */
  @Column('boolean', { default: false })
  loopbackAllowed!: boolean;

  /** Whether the environment of the process added it; its address and key follow the environment until an admin changes them. */
  @Column('boolean', { default: false })
  fromEnvironment!: boolean;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}
