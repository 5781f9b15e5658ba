import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../../auth/credentials/open-responses.registry.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { CatalogService } from '../../models/catalog/catalog.service.ts';
import type { OpenAiEndpoint } from '../../models/openai/openai-endpoint.ts';
import { extraHeaders } from '../requests/extra-headers.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';
import { forwardError } from '../upstream/upstream-error.ts';
import * as store from './relay-responses.store.ts';

/** What can be done with a stored response, as a request to its server. */
export type ResponseAction = 'retrieve' | 'delete' | 'cancel' | 'input-items';

const ACTIONS = {
  retrieve: { method: 'GET', path: '' },
  delete: { method: 'DELETE', path: '' },
  cancel: { method: 'POST', path: '/cancel' },
  'input-items': { method: 'GET', path: '/input_items' },
} as const;

const RESPONSE_ID = /^[\w-]{1,200}$/;

/**
 * Responses that the servers of models store. To a server, all callers are the owner of its key, so it is decided here whose
 * a response is: it belongs to the key that created it, in one space.
 */
@Injectable()
export class StoredResponsesService {
  private readonly logger = new Logger(StoredResponsesService.name);

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogService,
    private readonly openResponses: OpenResponsesRegistry,
    sweeper: SweeperWorker,
  ) {
    sweeper.register('relay responses', (limit) => store.purgeResponses(database.manager, limit));
  }

  /** Records whose a new response is. If that fails, the response exists, but cannot be retrieved. */
  async record(caller: UserPrincipal, id: string, place: store.ResponsePlace): Promise<void> {
    try {
      await store.insertResponse(this.database.manager, ownerOf(caller), id, place);
    } catch (error) {
      this.logger.error({ err: error, id }, 'A stored response could not be recorded');
    }
  }

  /**
   * Throws 404 unless the caller created the response that a new one continues, on the same server: another one can give a
   * response any id.
   */
  async assertOwned(caller: UserPrincipal, id: string, { serverId }: OpenAiEndpoint): Promise<void> {
    const place = await this.find(caller, id);
    if (place?.server === serverId) return;
    if (place?.server === null && (await this.endpointOf(caller, place))?.serverId === serverId) return;
    throw new AppError('NOT_FOUND', `Previous response with id '${id}' not found.`, {
      openai: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  }

  /** Hands the action on to the server of the response, and responds through `res`. */
  async act(
    action: ResponseAction,
    { caller, req, res }: { caller: UserPrincipal; req: Request; res: Response },
    id: string,
  ): Promise<void> {
    const place = await this.find(caller, id);
    const endpoint = place && (await this.endpointOf(caller, place));
    if (endpoint === null) {
      const openai = { code: 'response_not_found' };
      throw new AppError('NOT_FOUND', `Response with id '${id}' not found.`, { openai });
    }
    this.openResponses.watch(caller, res);
    const { method, path } = ACTIONS[action];
    const upstream = new UpstreamCall(res, endpoint.secrets, false, endpoint.limits);
    endpoint.requestStored(method, `${id}${path}${queryOf(req)}`, extraHeaders(req), upstream);
    const outcome = await upstream.result;
    if (outcome.kind === 'rejected') forwardError(res, outcome, endpoint);
    else if (action === 'delete' && outcome.kind === 'completed')
      await store.deleteResponse(this.database.manager, ownerOf(caller), id);
  }

  private async find(caller: UserPrincipal, id: string): Promise<store.ResponsePlace | null> {
    return RESPONSE_ID.test(id) ? store.findResponse(this.database.manager, ownerOf(caller), id) : null;
  }

  /** Returns null if the model is gone, or is at another server now, which does not have the response. */
  private async endpointOf(
    { spaceId }: UserPrincipal,
    { model, server }: store.ResponsePlace,
  ): Promise<OpenAiEndpoint | null> {
    const endpoint = (await this.catalog.find(spaceId, model))?.endpoint ?? null;
    return server === null || endpoint?.serverId === server ? endpoint : null;
  }
}

/** A sign-in ends, so with an access token it is the user. */
function ownerOf({ spaceId, userId, credential }: UserPrincipal): store.ResponseOwner {
  return { spaceId, ownerId: credential.kind === 'api-key' ? credential.id : userId };
}

/** As it was sent, such as `?include[]=…`. */
function queryOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}
