import { isManagedHeader, type MethodBinding } from '@platform/contracts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { isHeaderValue } from '../../infra/requests/text.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { isHeaderName } from './http-headers.ts';
import { buildBody, type BodyMethod } from './http-request-body.ts';
import {
  encodeStrictly,
  serializeCookie,
  serializeHeader,
  serializePath,
  serializeQuery,
} from './serialize.ts';
import type { Pair } from './serialize.ts';

/** What a request is built from. */
export interface RequestMethod extends BodyMethod {
  serverUrl: string;
  httpMethod: string;
  path: string;
}

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer | null;
  warnings: string[];
}

/** Verbs whose requests have no body. */
const WITHOUT_BODY = ['GET', 'HEAD'];
/** Verbs that cannot be sent. */
const UNSUPPORTED = ['CONNECT', 'TRACE', 'TRACK'];

/**
 * Builds the request of a call. Throws VALIDATION_ERROR that names every value that cannot be sent. The values are those
 * of the input, with files in place of their texts. Null has no text, so outside of JSON it is not sent. `key` is a header that the
 * input and the authentication replace.
 */
export function buildRequest(
  method: RequestMethod,
  auth: AuthParts,
  values: Record<string, unknown>,
  key: Pair | null = null,
): HttpRequest {
  const builder = new RequestBuilder(values, key);
  for (const binding of method.bindings) builder.add(binding);
  return builder.build(method, auth);
}

class RequestBuilder {
  private readonly problems: string[] = [];
  private readonly warnings: string[] = [];
  /** Encoded, by the name in the template. */
  private readonly path = new Map<string, string>();
  private readonly query: Pair[] = [];
  private readonly cookies: Pair[] = [];
  private readonly headers = new HeaderList();

  constructor(
    private readonly values: Record<string, unknown>,
    key: Pair | null,
  ) {
    if (key !== null) this.headers.set(...key);
  }

  add(binding: MethodBinding): void {
    const { port, in: location, name = port } = binding;
    const value = Object.hasOwn(this.values, port) ? this.values[port] : undefined;
    if (value === undefined || location === 'body') return;
    if (location === 'path') this.addToPath(name, value, binding);
    else if (value === null) return;
    else if (location === 'query') this.query.push(...serializeQuery(name, value, binding));
    else if (location === 'header') this.addHeader(name, value, binding);
    else this.addCookies(name, value, binding);
  }

  build(method: RequestMethod, auth: AuthParts): HttpRequest {
    const url = this.buildUrl(method, auth.query);
    const verb = method.httpMethod.toUpperCase();
    if (UNSUPPORTED.includes(verb)) this.problems.push(`${verb} requests cannot be sent`);
    const body = buildBody(method, this.values, this.problems);
    const hasBody = body !== null && !(WITHOUT_BODY.includes(verb) && !this.hasBodyValues(method));
    if (hasBody && WITHOUT_BODY.includes(verb)) this.problems.push(`A ${verb} request cannot have a body`);
    if (hasBody && !isHeaderValue(body.mediaType)) this.problems.push('bodyMediaType is not a media type');
    for (const [name, value] of auth.headers) this.headers.set(name, value);
    const cookies = this.mergeCookies(auth);
    if (cookies.length > 0) this.headers.set('Cookie', cookies.join('; '));
    if (url === null || this.problems.length > 0) throw invalidFor(this.problems);
    if (hasBody) this.headers.set('Content-Type', body.mediaType);
    return {
      method: verb,
      url,
      headers: this.headers.toRecord(),
      body: hasBody ? body.bytes : null,
      warnings: this.warnings,
    };
  }

  private addToPath(name: string, value: unknown, binding: MethodBinding): void {
    const text = value === null ? '' : serializePath(name, value, binding);
    // The path would be that of another resource, such as the list of all.
    if (text === '')
      this.problems.push(`input.${binding.port} must not be empty, because it is part of the path`);
    this.path.set(name, text);
  }

  private addHeader(name: string, value: unknown, binding: MethodBinding): void {
    if (isManagedHeader(name)) {
      this.warnings.push(`input.${binding.port} is not sent: the platform sets the header ${name}`);
      return;
    }
    const text = serializeHeader(value, binding);
    if (text === null) return;
    if (!isHeaderName(name))
      this.problems.push(`input.${binding.port} is bound to a header without a valid name`);
    else if (!isHeaderValue(text))
      this.problems.push(`input.${binding.port} has characters that a header cannot carry`);
    else this.headers.set(name, text);
  }

  private addCookies(name: string, value: unknown, binding: MethodBinding): void {
    const pairs = serializeCookie(name, value, binding);
    if (pairs.some((pair) => pair.some((text) => !/^[\x21-\x3a\x3c-\x7e]*$/.test(text))))
      this.problems.push(`input.${binding.port} has characters that a cookie cannot carry`);
    else this.cookies.push(...pairs);
  }

  /** The cookies of the authentication, which can be a header of its own, and those of the input that it does not replace. */
  private mergeCookies(auth: AuthParts): string[] {
    const [, header = ''] = auth.headers.find(([name]) => name.toLowerCase() === 'cookie') ?? [];
    const own = [header, ...auth.cookies.map((pair) => pair.join('='))].filter((text) => text !== '');
    const names = new Set(own.flatMap((text) => text.split(';')).map((text) => text.split('=')[0]?.trim()));
    const others = this.cookies.filter(([name]) => !names.has(name));
    return [...own, ...others.map((pair) => pair.join('='))];
  }

  private hasBodyValues({ bindings }: RequestMethod): boolean {
    return bindings.some(({ in: location, port }) => location === 'body' && Object.hasOwn(this.values, port));
  }

  private buildUrl({ serverUrl, path }: RequestMethod, auth: Pair[]): URL | null {
    const base = URL.parse(serverUrl);
    if (base === null || !/^https?:$/.test(base.protocol)) {
      this.problems.push('serverUrl must be an http or https address');
      return null;
    }
    const [template = '', ...rest] = (path.split('#')[0] ?? '').split('?');
    const pathname = this.fill(template, true);
    const given = new Set([...this.query, ...auth].map(([name]) => decoded(name)));
    const kept = [base.search.slice(1), this.fill(rest.join('?'), false)]
      .flatMap((query) => query.split('&'))
      .filter((pair) => pair !== '' && !given.has(decoded(pair.split('=')[0] ?? '')));
    const own = new Set(auth.map(([name]) => decoded(name)));
    const added = [...this.query.filter(([name]) => !own.has(decoded(name))), ...auth];
    const query = [...kept, ...added.map((pair) => pair.join('='))].join('&');
    const prefix = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
    const slash = pathname === '' || pathname.startsWith('/') ? '' : '/';
    const url = URL.parse(`${prefix}${slash}${pathname}${query === '' ? '' : `?${query}`}`);
    if (url === null) this.problems.push('The address of the method is not valid');
    return url;
  }

  /** Fills the variables of a template. */
  private fill(template: string, isPath: boolean): string {
    return template
      .split('/')
      .map((segment) => {
        const filled = segment.replace(/\{([^{}]*)\}/g, (variable, name: string) => {
          const text = this.path.get(name);
          if (text === undefined) this.problems.push(`The path variable ${variable} has no value`);
          return text ?? '';
        });
        // A URL parser would remove such a segment together with the one before it.
        if (isPath && filled !== segment && /^\.{1,2}$/.test(filled))
          this.problems.push(`The values of ${segment} must not make the path segment "${filled}"`);
        return filled;
      })
      .join('/');
  }
}

/** Headers by their names, whatever the case. */
class HeaderList {
  private readonly byName = new Map<string, Pair>([
    ['accept', ['Accept', 'application/json, */*;q=0.8']],
    ['user-agent', ['User-Agent', 'platform']],
  ]);

  set(name: string, value: string): void {
    this.byName.set(name.toLowerCase(), [name, value]);
  }

  toRecord(): Record<string, string> {
    return Object.fromEntries(this.byName.values());
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return encodeStrictly(text);
  }
}
