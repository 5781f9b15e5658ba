import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { AppError, invalid } from '../../infra/errors/app-error.ts';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { parseJson } from '../../infra/runtime/json.ts';
import type { OAuthClientEntity } from '../grants/oauth-client.entity.ts';
import type { UnknownCaller } from '../limits/limit-headers.ts';
import { OAuthThrottle } from './oauth-throttle.ts';
import { isDocumentAddress, readClientDocument, readClientMetadata } from './client-metadata.ts';
import { findClient, insertRegistered, storeDocument } from './known-clients.store.ts';

const MAX_DOCUMENT_BYTES = 16_384;
const DOCUMENT_TIMEOUT_MS = 5_000;

/** What is known of the programs that ask people to let them in. All of them are public clients: none has a secret. */
@Injectable()
export class KnownClientsService {
  private readonly logger = new Logger(KnownClientsService.name);

  constructor(
    private readonly database: Database,
    private readonly http: GuardedHttp,
    private readonly throttle: OAuthThrottle,
  ) {}

  /** Registers a client that has no document of its own (RFC 7591). */
  async register(metadata: unknown, caller: UnknownCaller): Promise<OAuthClientEntity> {
    await this.throttle.registration(caller);
    const read = readClientMetadata(metadata, 'A client without a name');
    if ('problem' in read) {
      const oauth = read.problem.startsWith('redirect_uris')
        ? 'invalid_redirect_uri'
        : 'invalid_client_metadata';
      throw new AppError('VALIDATION_ERROR', read.problem, { oauth });
    }
    return insertRegistered(this.database.manager, read.value);
  }

  /** Returns the client that asks a person. Reads its document if it has one that was not read for an hour. */
  async getAsking(clientId: string | undefined, userId: string): Promise<OAuthClientEntity> {
    if (clientId === undefined) throw invalid('client_id is missing');
    const known = await this.find(clientId);
    if (known && (!known.isDocument || known.isFresh)) return known;
    if (!isDocumentAddress(clientId))
      throw invalid('This client is not known here: it must register itself again');
    await this.throttle.document(userId);
    return this.readDocument(clientId);
  }

  /** Returns the client that asks for tokens: what was read of it is good enough. */
  async getKnown(clientId: string | undefined): Promise<OAuthClientEntity> {
    const client = clientId === undefined ? null : await this.find(clientId);
    if (client) return client;
    throw new AppError('UNAUTHORIZED', 'client_id must be that of a client which is known here');
  }

  private async find(clientId: string) {
    if (!isUuid(clientId) && !isDocumentAddress(clientId)) return null;
    return findClient(this.database.manager, clientId);
  }

  private async readDocument(clientId: string): Promise<OAuthClientEntity> {
    const read = readClientDocument(clientId, await this.fetchDocument(clientId));
    if ('problem' in read) throw invalid(`The document of the client cannot be used: ${read.problem}`);
    return storeDocument(this.database.manager, clientId, read.value);
  }

  private async fetchDocument(clientId: string): Promise<unknown> {
    try {
      const response = await this.http.fetch(clientId, {
        headers: { Accept: 'application/json' },
        maxBytes: MAX_DOCUMENT_BYTES,
        timeoutMs: DOCUMENT_TIMEOUT_MS,
      });
      if (response.status === 200) return parseJson(response.text());
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.logger.debug({ err: error, clientId }, 'The document of a client could not be read');
    }
    throw invalid('The document of the client could not be read');
  }
}
