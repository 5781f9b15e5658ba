import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../../auth/credentials/open-responses.registry.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import { CatalogService } from '../../models/catalog/catalog.service.ts';
import type { OpenAiEndpoint } from '../../models/openai/openai-endpoint.ts';
import { extraHeaders } from '../requests/extra-headers.ts';
import { UpstreamCall } from '../upstream/upstream-call.ts';
import { forwardError } from '../upstream/upstream-error.ts';
import { findItemReferences, itemNotFound } from './item-references.ts';
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

  /** Records whose a new response and its items are. If that fails, they exist, but cannot be retrieved. */
  async record(caller: UserPrincipal, ids: string[], place: store.ResponsePlace): Promise<void> {
    try {
      // In one order, because a server can give an id again, and two statements must not wait for each other.
      const inOrder = [...new Set(ids)].sort();
      await store.insertIds(this.database.manager, ownerOf(caller), inOrder, place);
    } catch (error) {
      this.logger.error({ err: error, ids }, 'A stored response could not be recorded');
    }
  }

  /**
   * Throws 404 unless the caller created the response that a new one continues, and the items to which it refers, on the same
   * server: another one can give them any ids.
   */
  async assertOwned(caller: UserPrincipal, body: JsonObject, { serverId }: OpenAiEndpoint): Promise<void> {
    const { previous_response_id: previous } = body;
    const items = findItemReferences(body.input);
    const ids = typeof previous === 'string' ? [previous, ...items.keys()] : [...items.keys()];
    if (ids.length === 0) return;
    const places = await this.find(caller, ids);
    if (typeof previous === 'string' && (await this.serverOf(caller, places.get(previous))) !== serverId) {
      throw new AppError('NOT_FOUND', `Previous response with id '${previous}' not found.`, {
        openai: { code: 'previous_response_not_found', param: 'previous_response_id' },
      });
    }
    for (const [id, param] of items) if (places.get(id)?.server !== serverId) throw itemNotFound(id, param);
  }

  /** Hands the action on to the server of the response, and responds through `res`. */
  async act(
    action: ResponseAction,
    { caller, req, res }: { caller: UserPrincipal; req: Request; res: Response },
    id: string,
  ): Promise<void> {
    const place = (await this.find(caller, [id])).get(id);
    const model = place && (await this.catalog.find(caller.spaceId, place.model));
    const endpoint = model?.endpoint;
    // The model may be at another server now, which does not have the response.
    if (!endpoint || (place?.server ?? endpoint.serverId) !== endpoint.serverId) {
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

  private async find(caller: UserPrincipal, ids: string[]): Promise<Map<string, store.ResponsePlace>> {
    const valid = ids.filter((id) => RESPONSE_ID.test(id));
    return store.findPlaces(this.database.manager, ownerOf(caller), valid);
  }

  /** A row of the previous version does not tell the server: then it is that of the model. */
  private async serverOf(caller: UserPrincipal, place?: store.ResponsePlace): Promise<string | undefined> {
    if (place?.server !== null) return place?.server;
    return (await this.catalog.find(caller.spaceId, place.model))?.endpoint?.serverId;
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
