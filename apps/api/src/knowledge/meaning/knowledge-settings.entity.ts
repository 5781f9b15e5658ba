import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a space decides about its searches, besides its model for embeddings. */
@Entity('knowledge_settings')
export class KnowledgeSettingsEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @Column('text', { nullable: true })
  rerankModel!: string | null;

  /** Whether questions of executions are rewritten into search terms. */
  @Column('boolean', { default: false })
  rewritesQuestions!: boolean;
}
