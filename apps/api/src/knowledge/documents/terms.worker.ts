import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { ClaimLoop } from '../../infra/runtime/claim-loop.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { indexTerms, TERMS_VERSION } from '../extraction/terms.ts';
import { listChunks, updateTerms } from './knowledge-chunks.store.ts';
import { claimOldTerms, finishTerms, OLD_TERMS_WAITING, type OldTerms } from './knowledge-documents.store.ts';
import { spaceTag } from './space-tag.ts';

/** Their terms are made in about 10 ms. Requests are served in between. */
const BATCH = 20;

/**
 * Makes the terms of documents again that have those of an earlier version, from the text of their passages. Whatever has
 * the old ones is found by them until then. After an interruption a document begins anew, which changes nothing.
 */
@Injectable()
export class TermsWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(TermsWorker.name);
  private readonly loop = new ClaimLoop<OldTerms>({
    maxRunning: 1,
    claim: async () =>
      (await this.database.hasRows(OLD_TERMS_WAITING)) ? claimOldTerms(this.database) : null,
    execute: (document) => this.index(document),
    onClaimError: (err) => this.logger.warn({ err }, 'Documents could not be claimed; retrying'),
  });

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  /** Looks for documents now. */
  wake(): void {
    this.loop.wake();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Never rejects. If it fails, the lease expires, and the document is claimed again. */
  private async index({ id, spaceId, title }: OldTerms): Promise<void> {
    const tag = spaceTag(spaceId);
    const ofTitle = indexTerms(title);
    try {
      for (let after = 0; !this.loop.signal.aborted;) {
        const chunks = await listChunks(this.database, id, after, BATCH);
        const last = chunks.at(-1);
        if (last === undefined) {
          await finishTerms(this.database, id, TERMS_VERSION);
          return;
        }
        const terms = chunks.map(({ n, heading, text }) => {
          const all = new Set([...ofTitle, ...indexTerms(`${heading}\n${text}`)]);
          return { n, terms: [...all].map((term) => tag + term).join(' ') };
        });
        await updateTerms(this.database, id, JSON.stringify(terms));
        failpoint('knowledge.terms');
        after = last.n;
      }
    } catch (err) {
      this.logger.warn({ err, document: id }, 'The terms of a document could not be stored; retrying');
    }
  }
}
