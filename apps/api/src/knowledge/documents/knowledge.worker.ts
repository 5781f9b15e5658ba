import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { isUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { Extractor } from '../extraction/extractor.ts';
import { Unreadable } from '../extraction/unreadable.ts';
import { queueDocument } from '../meaning/embeddings.store.ts';
import { insertChunks } from './knowledge-chunks.store.ts';
import {
  claimDocument,
  DOCUMENTS_WAITING,
  finishDocument,
  getSource,
  releaseDocument,
  renewDocument,
  replaceDocument,
  type ClaimedDocument,
} from './knowledge-documents.store.ts';
import { spaceTag } from './space-tag.ts';

/** Each in a process of its own. */
const MAX_RUNNING = 2;
const MAX_ATTEMPTS = 3;

/** Reads the text of uploaded documents and makes it searchable, all of it in one transaction. */
@Injectable()
export class KnowledgeWorker extends ClaimWorker<ClaimedDocument> {
  private readonly extractor = new Extractor();

  constructor(config: PlatformConfig, database: BackgroundDatabase) {
    super(config, database, {
      name: 'Documents',
      maxRunning: MAX_RUNNING,
      waiting: DOCUMENTS_WAITING,
      claim: claimDocument,
    });
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.extractor.close();
  }

  /** Never rejects. If the database is unavailable, the lease of the document expires, and it is read again. */
  protected async execute(document: ClaimedDocument): Promise<void> {
    try {
      await this.index(document);
    } catch (error) {
      if (this.signal.aborted) await releaseDocument(this.database, document).catch(() => undefined);
      else await this.fail(document, error);
    }
  }

  private async index(document: ClaimedDocument): Promise<void> {
    const { id, spaceId, title, mediaType, attempt } = document;
    if (attempt > MAX_ATTEMPTS)
      throw new Unreadable(`The document could not be read: ${MAX_ATTEMPTS} attempts were interrupted.`);
    const source = await getSource(this.database, id);
    if (source === null) return;
    const job = { title, mediaType, ...source, spaceTag: spaceTag(spaceId) };
    const { rows, chunks, encoding } = await this.extractor.read(job, this.signal);
    failpoint('knowledge.extracted');
    await this.database.transaction(async (tx) => {
      for (const json of rows) {
        this.signal.throwIfAborted();
        // Outside of the transaction, so that other workers see it. A large document takes a minute.
        if (!(await renewDocument(this.database, document))) throw new Superseded();
        await insertChunks(tx, document, json);
      }
      // Deleted, or claimed by another worker: nothing of it is stored.
      if (!(await finishDocument(tx, document, { chunks, error: null, encoding }))) throw new Superseded();
      if (await replaceDocument(tx, document)) await queueDocument(tx, document);
    });
  }

  private async fail(document: ClaimedDocument, error: unknown): Promise<void> {
    if (error instanceof Superseded) return;
    if (isUnavailable(error)) {
      this.logger.warn({ err: error, document: document.id }, 'A document could not be stored; retrying');
      return;
    }
    const isUnreadable = error instanceof Unreadable;
    if (!isUnreadable)
      this.logger.error({ err: error, document: document.id }, 'A document could not be read');
    const reason = isUnreadable ? error.message : 'The document could not be read.';
    await finishDocument(this.database, document, { chunks: 0, error: reason }).catch((failure: unknown) =>
      this.logger.warn({ err: failure, document: document.id }, 'A document could not be ended; retrying'),
    );
  }
}

class Superseded extends Error {}
