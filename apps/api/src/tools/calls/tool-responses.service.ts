import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { BackgroundDatabase, Database } from '../../infra/database/database.ts';
import { canonicalJson } from '../../infra/runtime/json.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import * as store from './tool-responses.store.ts';

/** Larger responses are not kept. */
const MAX_BYTES = 1_048_576;

/** Which call a response belongs to. */
export interface ResponseKey {
  methodId: string;
  methodVersion: string;
  /** The version of the secret of the tool, or the connection. */
  credentials: string | number;
  input: Record<string, unknown>;
}

/** Successful responses of methods with a cache, until they expire. */
@Injectable()
export class ToolResponsesService implements OnModuleInit {
  private readonly logger = new Logger(ToolResponsesService.name);

  constructor(
    private readonly database: Database,
    private readonly background: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('tool_response', (limit) => store.purgeResponses(this.background, limit));
  }

  find(key: ResponseKey): Promise<store.StoredResponse | null> {
    return store.findResponse(this.database, hash(key));
  }

  /** Never rejects: the call has succeeded, and reporting a failure would have it repeated. */
  async save(key: ResponseKey, response: Omit<store.NewResponse, 'key' | 'methodId'>): Promise<void> {
    if (Buffer.byteLength(JSON.stringify(response.output)) > MAX_BYTES) return;
    try {
      await store.saveResponse(this.database, { ...response, key: hash(key), methodId: key.methodId });
    } catch (error) {
      this.logger.warn({ err: error, methodId: key.methodId }, 'A response of a tool could not be stored');
    }
  }
}

function hash({ methodId, methodVersion, credentials, input }: ResponseKey): Buffer {
  return createHash('sha256')
    .update(canonicalJson([methodId, methodVersion, credentials, input]))
    .digest();
}
