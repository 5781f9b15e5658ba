import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
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
export class TermsWorker extends ClaimWorker<OldTerms> {
  constructor(config: PlatformConfig, database: BackgroundDatabase) {
    super(config, database, {
      name: 'Documents',
      maxRunning: 1,
      waiting: OLD_TERMS_WAITING,
      claim: claimOldTerms,
    });
  }

  /** Never rejects. If it fails, the lease expires, and the document is claimed again. */
  protected async execute({ id, spaceId, title }: OldTerms): Promise<void> {
    const tag = spaceTag(spaceId);
    const ofTitle = indexTerms(title);
    try {
      for (let after = 0; !this.signal.aborted;) {
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
