import { Injectable } from '@nestjs/common';
import type { DiscoveredProvider } from '@platform/contracts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { GuardedHttp, OutgoingError, type GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { EndpointAddresses } from './endpoint-address.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;
const MAX_SCOPES = 100;

/** Finds out from a server how people sign in there. */
@Injectable()
export class DiscoveryService {
  private readonly addresses: EndpointAddresses;

  constructor(
    private readonly http: GuardedHttp,
    config: PlatformConfig,
  ) {
    this.addresses = new EndpointAddresses(config.allowedPrivateHosts);
  }

  /**
   * Reads the metadata of a protected resource, such as an MCP server (RFC 9728), and of its authorization server (RFC 8414), or of the
   * latter alone. Throws VALIDATION_ERROR if there are none, or if they are about somebody else.
   */
  async discover(address: string): Promise<DiscoveredProvider> {
    const problem = this.addresses.problemOf(address);
    if (problem !== null) throw invalid(`url ${problem}`);
    const url = new URL(address);
    const resource = await this.findResource(url);
    const [server] = textsOf(resource?.authorization_servers);
    const metadata = await this.readServer(server ?? address);
    const scopes = textsOf(resource?.scopes_supported);
    return {
      origins: resource === null ? [] : [url.origin],
      oauth: {
        issuer: metadata.issuer as string,
        authorizationEndpoint: textOf(metadata.authorization_endpoint),
        tokenEndpoint: textOf(metadata.token_endpoint) ?? '',
        revocationEndpoint: textOf(metadata.revocation_endpoint),
        clientAuth: clientAuthOf(textsOf(metadata.token_endpoint_auth_methods_supported)),
        scopes: scopes.length > 0 ? scopes : textsOf(metadata.scopes_supported).filter(isRefresh),
        parameters: {},
        resource: textOf(resource?.resource),
        tokenFormat: 'form',
        sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
      },
    };
  }

  /** Null if the address is not that of a protected resource. */
  private async findResource(url: URL): Promise<JsonObject | null> {
    const path = url.pathname === '/' ? '' : url.pathname;
    const asked = await this.fetch(url.href, { skipBody: true });
    const named = challengeOf(asked);
    // A server may only name metadata of its own.
    const own = named !== null && URL.parse(named)?.origin === url.origin ? [named] : [];
    const wellKnown = '/.well-known/oauth-protected-resource';
    const places = [...own, `${url.origin}${wellKnown}${path}`, `${url.origin}${wellKnown}`];
    for (const place of new Set(places)) {
      const found = await this.readJson(place);
      const resource = textOf(found?.resource);
      if (found === null || resource === null) continue;
      if (!covers(resource, url)) throw invalid('The metadata of the server are those of another resource');
      return found;
    }
    return null;
  }

  private async readServer(issuer: string): Promise<JsonObject> {
    const problem = this.addresses.problemOf(issuer);
    if (problem !== null) throw invalid(`The issuer ${problem}`);
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const places = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ];
    for (const place of new Set(places)) {
      const found = await this.readJson(place);
      if (found === null || textOf(found.token_endpoint) === null) continue;
      if (found.issuer !== issuer)
        throw invalid('The metadata of the authorization server name another issuer');
      for (const field of ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint']) {
        const endpoint = found[field] ?? null;
        const wrong = endpoint === null ? null : this.addresses.problemOf(endpoint);
        if (wrong !== null) throw invalid(`The ${field} of the authorization server ${wrong}`);
      }
      return found;
    }
    throw invalid('url names neither an authorization server nor a server that says which one it uses');
  }

  private async readJson(place: string): Promise<JsonObject | null> {
    const response = await this.fetch(place);
    if (response === null || !response.ok) return null;
    try {
      const value = response.json();
      return isObject(value) ? value : null;
    } catch {
      return null;
    }
  }

  private async fetch(url: string, { skipBody = false } = {}): Promise<GuardedResponse | null> {
    const headers = { Accept: skipBody ? 'application/json, text/event-stream' : 'application/json' };
    try {
      return await this.http.fetch(url, { headers, skipBody, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    } catch (error) {
      if (error instanceof OutgoingError) return null;
      throw error;
    }
  }
}

/** The `resource_metadata` of a refusal (RFC 9728, 5.1). */
function challengeOf(response: GuardedResponse | null): string | null {
  const challenge = response?.headers.get('www-authenticate')?.slice(0, 4_000) ?? '';
  return /\bresource_metadata="([^"]{1,2000})"/.exec(challenge)?.[1] ?? null;
}

/** Whether an address belongs to a resource: the resource itself, or a path below it. */
function covers(resource: string, url: URL): boolean {
  const base = URL.parse(resource);
  if (base === null || base.origin !== url.origin) return false;
  const path = base.pathname.replace(/\/$/, '');
  return url.pathname === base.pathname || url.pathname === path || url.pathname.startsWith(`${path}/`);
}

function textOf(value: unknown): string | null {
  return isText(value) && value !== '' && value.length <= 2_000 ? value : null;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_SCOPES).flatMap((item) => textOf(item) ?? []) : [];
}

/** Of all scopes of a server, only this one says nothing about what a token is for. */
const isRefresh = (scope: string) => scope === 'offline_access';

function clientAuthOf(methods: string[]) {
  if (methods.length === 0 || methods.includes('client_secret_basic')) return 'basic';
  return methods.includes('client_secret_post') ? 'post' : 'none';
}
