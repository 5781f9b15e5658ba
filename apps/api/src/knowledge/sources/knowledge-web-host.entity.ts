import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RobotRules } from './robots.ts';

/** A host of sources, which receives one request at a time. */
@Entity('knowledge_web_host')
export class KnowledgeWebHostEntity {
  /** With its port unless that is the usual one. */
  @PrimaryColumn('text')
  host!: string;

  /** When the next request may be sent. Who sends one moves it to the end of a lease, and back when there is a response. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  freeAt!: Date;

  /** How often it was claimed: the fencing token of what is stored. */
  @Column('int', { default: 0 })
  claims!: number;

  /** The source that has claimed it. */
  @Column('uuid', { nullable: true })
  claimedBy!: string | null;

  /** What its robots.txt asks of us. */
  @Column('json', { nullable: true })
  robots!: RobotRules | null;

  @Column('timestamptz', { nullable: true })
  robotsAt!: Date | null;
}
