import { Injectable } from '@nestjs/common';
import type {
  AnswerAuthorizationRequest,
  AuthorizationAnswer,
  OAuthAuthorization,
  OAuthScope,
} from '@platform/contracts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { hashSecret } from '../../infra/crypto/api-tokens.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, forbidden, invalid, notFound } from '../../infra/errors/app-error.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { recordAudit } from '../audit/audit.ts';
import { lockCaller } from '../credentials/caller-lock.store.ts';
import { formatToken } from '../credentials/marked-tokens.ts';
import { spaceOfAddress } from '../grants/mcp-address.ts';
import { findMembership } from '../people/memberships.store.ts';
import type { AuditedCall } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { SpaceEntity } from '../principals/space.entity.ts';
import { findProblem, readQuery, readScopes, type RequestProblem } from './authorization-request.ts';
import { countGrants, insertGrant } from './authorizations.store.ts';
import type { ConsentRequest } from './consent-requests.ts';
import { toClient } from './oauth-client-view.ts';
import { KnownClientsService } from './known-clients.service.ts';
import { lockClient } from './known-clients.store.ts';
import { OAuthSecrets } from './oauth-secrets.ts';
import { OAuthThrottle } from './oauth-throttle.ts';
import { matchesRedirectUri, withParameters } from './redirect-uris.ts';

/** The most clients that a person lets into a space at the same time. */
const MAX_GRANTS = 100;

/** What a person is asked before a client may use a space, and the answer. */
@Injectable()
export class ConsentsService {
  private readonly issuer: string;

  constructor(
    private readonly database: Database,
    private readonly clients: KnownClientsService,
    private readonly secrets: OAuthSecrets,
    private readonly throttle: OAuthThrottle,
    config: PlatformConfig,
  ) {
    this.issuer = config.publicUrl;
  }

  /**
   * Returns what the person is asked by a client that has sent them here. Throws if the client or the address of its redirect
   * is not known: then nothing may be sent there. Any other problem is one that the client may learn about.
   */
  async preview({ userId }: UserPrincipal, query: string): Promise<OAuthAuthorization> {
    const parameters = readQuery(query);
    if (parameters === null) throw invalid('A parameter of the request is repeated, or is no text');
    const client = await this.clients.getAsking(parameters.client_id, userId);
    const { redirect_uri: redirectUri = '', state, resource = '' } = parameters;
    if (!matchesRedirectUri(client.redirectUris, redirectUri))
      throw invalid('redirect_uri is none of those that the client has registered');
    const scopes = readScopes(parameters.scope);
    const asked = { client: toClient(client, redirectUri), scopes };
    const refused = ({ error, message }: RequestProblem): OAuthAuthorization => ({
      ...asked,
      space: null,
      request: null,
      problem: message,
      returnTo: this.respond(redirectUri, { error, error_description: message, state }),
    });
    const problem = findProblem(parameters);
    if (problem) return refused(problem);
    const spaceId = spaceOfAddress(this.issuer, resource);
    if (spaceId === null)
      return refused({
        error: 'invalid_target',
        message: 'resource must be the address of the MCP server of a space',
      });
    const space = await this.getSpace(userId, spaceId);
    const request = await this.secrets.requests.sign(userId, {
      grantId: uuidV7(),
      clientId: client.id,
      spaceId,
      scopes,
      redirectUri,
      state,
      codeChallenge: parameters.code_challenge ?? '',
    });
    return { ...asked, space, request, problem: null, returnTo: null };
  }

  /** Records the answer of the person. Returns where to send them. */
  async answer(
    call: AuditedCall,
    { request, allow, scopes }: AnswerAuthorizationRequest,
  ): Promise<AuthorizationAnswer> {
    const { userId } = call.by;
    const asked = await this.secrets.requests.verify(request, userId);
    const { redirectUri, state } = asked;
    if (!allow) return { redirectTo: this.respond(redirectUri, { error: 'access_denied', state }) };
    await this.throttle.consent(userId);
    const allowed = asked.scopes.filter((scope) => scopes?.includes(scope) ?? true);
    if (allowed.length === 0) throw invalid('scopes must include one that the client asks for');
    const code = await this.grant(call, asked, allowed);
    return { redirectTo: this.respond(redirectUri, { code, state }) };
  }

  private grant(
    { by, requestId }: AuditedCall,
    asked: ConsentRequest,
    scopes: OAuthScope[],
  ): Promise<string> {
    const { grantId: id, spaceId, clientId, redirectUri, codeChallenge } = asked;
    const { userId } = by;
    const code = this.secrets.codes.create(id);
    return this.database.transaction(async (tx) => {
      await lockCaller(tx, { ...by, spaceId });
      const client = await lockClient(tx, clientId);
      if (!client) throw invalid('This client is not known here any more: start again in the client');
      if ((await countGrants(tx, spaceId, userId)) >= MAX_GRANTS)
        throw conflict(`At most ${MAX_GRANTS} clients can be allowed: revoke some first`);
      const codeHash = hashSecret(code.secret);
      const grant = { id, spaceId, userId, clientId, scopes, redirectUri, codeChallenge, codeHash };
      if (!(await insertGrant(tx, grant)))
        throw conflict('This request was answered before: start again in the client');
      const { name, isVerified, redirectsTo } = toClient(client, redirectUri);
      await recordAudit(tx, by, {
        action: 'oauth-grant.create',
        targetType: 'oauth-grant',
        targetId: id,
        details: { client: name, clientId: client.clientId, isVerified, redirectsTo, scopes },
        requestId,
        spaceId,
      });
      return formatToken(code);
    });
  }

  /** Adds the issuer, by which a client notices that the response is from another server than the one it asked (RFC 9207). */
  private respond(redirectUri: string, parameters: Record<string, string | undefined>): string {
    return withParameters(redirectUri, { ...parameters, iss: this.issuer });
  }

  /** Throws FORBIDDEN unless the person is a member. */
  private async getSpace(userId: string, id: string): Promise<{ id: string; name: string }> {
    const { manager } = this.database;
    const membership = await findMembership(manager, userId, id);
    if (membership) return { id, name: membership.space.name };
    if (await manager.existsBy(SpaceEntity, { id }))
      throw forbidden('You are not a member of the space that the client asks for');
    throw notFound('The space that the client asks for does not exist');
  }
}
