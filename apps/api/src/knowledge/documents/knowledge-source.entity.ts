import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What was uploaded for a document, until its text has been read. */
@Entity('knowledge_source')
export class KnowledgeSourceEntity {
  @PrimaryColumn('uuid')
  documentId!: string;

  @Column('uuid')
  spaceId!: string;

  /** The charset that the upload declared. */
  @Column('text', { nullable: true })
  charset!: string | null;

  @Column('bytea')
  data!: Buffer;
}
