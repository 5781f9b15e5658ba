import { Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  clientCredentialsGrant,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
  WWWAuthenticateChallengeError,
  type CustomFetchOptions,
  type TokenEndpointResponse,
} from 'openid-client';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { GuardedHttp, OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { isText } from '../../infra/requests/text.ts';
import type { ConnectionProviderEntity, OAuthSettings } from '../records/connection-provider.entity.ts';
import { OAuthFailure } from './oauth-failure.ts';
import { asStandard, toJsonRequest } from './token-answers.ts';

/** A lease is longer, so whoever renews a token still has it when the answer comes. */
const EXCHANGE_MS = 10_000;
const MAX_BYTES = 262_144;
const MAX_TOKEN_CHARS = 16_384;
const MAX_SCOPES = 100;
const MAX_SCOPE_CHARS = 200;
const TEN_YEARS = 10 * 366 * 86_400;
const CLOCK_TOLERANCE_SECONDS = 120;
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const NO_BODY = [204, 205, 304];
/** The server is out of order, or busy; it knows nothing against the token. These are the words of OAuth and of Slack. */
const TEMPORARY =
  /^(temporarily_unavailable|server_error|slow_down|internal_error|fatal_error|service_unavailable|request_timeout|ratelimited)$/;
const CLIENT = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'];

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  expiresInSeconds: number | null;
  /** Null: those that were asked for. */
  scopes: string[] | null;
  /** Who signed in, if the server says so. */
  account: string | null;
}

/** A sign-in that begins: where the browser goes, and what proves the answer. */
export interface BegunSignIn {
  url: string;
  verifier: string;
  nonce: string | null;
}

/** Speaks OAuth 2 with authorization servers, always through `GuardedHttp`. */
@Injectable()
export class OauthClientService {
  /** Where the browser returns to. */
  readonly callbackUrl: string;

  constructor(
    private readonly http: GuardedHttp,
    private readonly secrets: SecretBox,
    config: PlatformConfig,
  ) {
    this.callbackUrl = `${config.publicUrl}/api/connections/callback`;
  }

  async begin(provider: ConnectionProviderEntity, state: string): Promise<BegunSignIn> {
    const oauth = oauthOf(provider);
    const verifier = randomPKCECodeVerifier();
    const nonce = checksIdToken(oauth) ? randomNonce() : null;
    // OpenID Connect Core, 11: otherwise the scope is ignored, and nothing can be renewed.
    const asksAgain = oauth.issuer !== null && oauth.scopes.includes('offline_access');
    const url = buildAuthorizationUrl(this.configurationOf(provider), {
      ...(asksAgain && { prompt: 'consent' }),
      // What the platform sets comes last.
      ...oauth.parameters,
      ...(oauth.scopes.length > 0 && { scope: oauth.scopes.join(' ') }),
      ...(oauth.resource !== null && { resource: oauth.resource }),
      ...(nonce !== null && { nonce }),
      redirect_uri: this.callbackUrl,
      response_type: 'code',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    return { url: url.href, verifier, nonce };
  }

  /** Exchanges the code of a callback. Throws an `OAuthFailure`. */
  async exchange(
    provider: ConnectionProviderEntity,
    query: URLSearchParams,
    checks: { state: string; verifier: string; nonce: string | null },
  ): Promise<Tokens> {
    const { issuer, resource } = oauthOf(provider);
    const answer = new URLSearchParams(query);
    // Without a known issuer, there is nothing to compare it with.
    if (issuer === null) answer.delete('iss');
    else if (answer.get('iss') !== null && answer.get('iss') !== issuer)
      throw new OAuthFailure('issuer', null);
    const url = new URL(this.callbackUrl);
    url.search = answer.toString();
    return this.grant(() =>
      authorizationCodeGrant(
        this.configurationOf(provider),
        url,
        {
          expectedState: checks.state,
          pkceCodeVerifier: checks.verifier,
          ...(checks.nonce !== null && { expectedNonce: checks.nonce, idTokenExpected: true }),
        },
        resource === null ? undefined : { resource },
      ),
    );
  }

  /** Throws an `OAuthFailure`. */
  refresh(provider: ConnectionProviderEntity, refreshToken: string): Promise<Tokens> {
    const { resource } = oauthOf(provider);
    const parameters = resource === null ? undefined : { resource };
    return this.grant(() => refreshTokenGrant(this.configurationOf(provider), refreshToken, parameters));
  }

  /** Tokens of the platform itself, without a person. Throws an `OAuthFailure`. */
  ownTokens(provider: ConnectionProviderEntity): Promise<Tokens> {
    const { scopes, resource } = oauthOf(provider);
    return this.grant(() =>
      clientCredentialsGrant(this.configurationOf(provider), {
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        ...(resource !== null && { resource }),
      }),
    );
  }

  /** Revokes a token (RFC 7009). Throws an `OAuthFailure`. */
  async revoke(provider: ConnectionProviderEntity, token: string, hint: string): Promise<void> {
    const configuration = this.configurationOf(provider);
    try {
      await tokenRevocation(configuration, token, { token_type_hint: hint });
    } catch (error) {
      throw failureOf(error);
    }
  }

  private async grant(request: () => Promise<TokenEndpointResponse>): Promise<Tokens> {
    try {
      return toTokens(await request());
    } catch (error) {
      throw failureOf(error);
    }
  }

  private configurationOf(provider: ConnectionProviderEntity): Configuration {
    const oauth = oauthOf(provider);
    const server = {
      issuer: oauth.issuer ?? new URL(oauth.tokenEndpoint).origin,
      token_endpoint: oauth.tokenEndpoint,
      ...(oauth.authorizationEndpoint !== null && { authorization_endpoint: oauth.authorizationEndpoint }),
      ...(oauth.revocationEndpoint !== null && { revocation_endpoint: oauth.revocationEndpoint }),
      authorization_response_iss_parameter_supported: oauth.sendsIssuer,
      id_token_signing_alg_values_supported: ALGORITHMS,
    };
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const authentication = clientAuthOf(oauth, this.secretOf(provider));
    const configuration = new Configuration(server, oauth.clientId, client, authentication);
    // Addresses are checked when they are stored.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- http is only for private hosts that the operator allows
    allowInsecureRequests(configuration);
    configuration[customFetch] = (url, options) => this.fetch(oauth, url, options);
    return configuration;
  }

  private secretOf({ spaceId, id, clientSecret }: ConnectionProviderEntity): string | null {
    if (clientSecret === null) return null;
    return this.secrets.open({ spaceId, recordId: id, field: 'clientSecret' }, clientSecret);
  }

  private async fetch(oauth: OAuthSettings, url: string, options: CustomFetchOptions): Promise<Response> {
    const { method, headers, body, signal } = options;
    const isTokens = url === oauth.tokenEndpoint;
    const form = body instanceof URLSearchParams ? body.toString() : ((body ?? null) as string | null);
    const sent =
      isTokens && oauth.tokenFormat === 'json' && form !== null
        ? toJsonRequest(form, headers)
        : { headers, body: form };
    const response = await this.http.fetch(url, {
      method,
      headers: sent.headers,
      ...(sent.body !== null && { body: sent.body }),
      maxBytes: MAX_BYTES,
      timeoutMs: EXCHANGE_MS,
      ...(signal && { signal }),
    });
    const standard = isTokens ? asStandard(response, oauth.issuer !== null) : response;
    const content = NO_BODY.includes(standard.status) ? null : new Uint8Array(standard.bytes);
    const type = standard === response ? response.headers.get('content-type') : 'application/json';
    return new Response(content, {
      status: standard.status,
      headers: {
        ...(type !== null && { 'content-type': type }),
        ...Object.fromEntries([...response.headers].filter(([name]) => name === 'www-authenticate')),
      },
    });
  }
}

function oauthOf({ oauth }: ConnectionProviderEntity): OAuthSettings {
  if (oauth === null) throw new Error('The provider has no authorization server');
  return oauth;
}

/** Whether an ID token must come with the tokens. */
function checksIdToken({ issuer, scopes }: OAuthSettings): boolean {
  return issuer !== null && scopes.includes('openid');
}

function clientAuthOf({ clientAuth }: OAuthSettings, secret: string | null) {
  if (secret === null || clientAuth === 'none') return None();
  return clientAuth === 'basic' ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

function toTokens(answer: TokenEndpointResponse & { claims?: () => unknown }): Tokens {
  const {
    access_token: accessToken,
    refresh_token: refreshToken = null,
    expires_in: expiresIn,
    scope,
  } = answer;
  // A token is sent in a header.
  if (accessToken.length > MAX_TOKEN_CHARS || !/^[\x21-\x7e]+$/.test(accessToken))
    throw new OAuthFailure('invalid', null);
  if (refreshToken !== null && (refreshToken.length > MAX_TOKEN_CHARS || !isText(refreshToken)))
    throw new OAuthFailure('invalid', null);
  return {
    accessToken,
    refreshToken,
    expiresInSeconds: expiresIn === undefined ? null : Math.min(Math.max(1, expiresIn), TEN_YEARS),
    scopes: scope === undefined ? null : splitScopes(scope),
    account: accountOf(answer.claims?.()),
  };
}

/** Some servers separate them with commas. */
function splitScopes(text: string): string[] {
  const scopes = text.slice(0, MAX_SCOPES * MAX_SCOPE_CHARS).split(/[\s,]+/);
  return scopes
    .filter((scope) => scope !== '' && scope.length <= MAX_SCOPE_CHARS && isText(scope))
    .slice(0, MAX_SCOPES);
}

function accountOf(claims: unknown): string | null {
  const { email, preferred_username: username, name, sub } = (claims ?? {}) as Record<string, unknown>;
  const account = [email, username, name, sub].find((text) => isText(text) && text.trim() !== '');
  return account === undefined ? null : (account as string).slice(0, 200);
}

/** Without the cause, which can repeat secrets. */
function failureOf(error: unknown): OAuthFailure {
  if (error instanceof OAuthFailure) return error;
  if (error instanceof OutgoingError) return new OAuthFailure('unreachable', null);
  if (error instanceof AuthorizationResponseError) return new OAuthFailure('refused', wordOf(error.error));
  if (error instanceof ResponseBodyError) {
    const code = wordOf(error.error);
    if (error.status >= 500 || error.status === 429 || TEMPORARY.test(error.error))
      return new OAuthFailure('unreachable', code);
    return new OAuthFailure(CLIENT.includes(error.error) ? 'client' : 'refused', code);
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return new OAuthFailure(error.status === 401 ? 'client' : 'unreachable', null);
  if (error instanceof ClientError) return fromClientError(error);
  const name = (error as { name?: unknown } | null)?.name;
  if (name === 'TimeoutError' || name === 'AbortError') return new OAuthFailure('unreachable', null);
  throw error;
}

function fromClientError(error: ClientError): OAuthFailure {
  if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT')
    return new OAuthFailure('unreachable', null);
  const cause = error.cause;
  if (cause instanceof OutgoingError) return new OAuthFailure('unreachable', null);
  if (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') {
    const status = cause instanceof Response ? cause.status : 200;
    return new OAuthFailure(status >= 500 || status === 429 ? 'unreachable' : 'invalid', null);
  }
  // The parameter of the callback, or the claim of the ID token.
  const isIssuer = cause instanceof Error && cause.message.includes('"iss"');
  return new OAuthFailure(isIssuer ? 'issuer' : 'invalid', null);
}

/** An `error` of OAuth 2 is a word. Others could be anything. */
function wordOf(code: string): string | null {
  return /^[a-z_]{1,60}$/.test(code) ? code : null;
}
