import type { MethodBinding } from '@platform/contracts';
import { invalidFor } from '../infra/http/app-error.ts';

/** What a request is built from. */
export interface RequestMethod {
  serverUrl: string;
  httpMethod: string;
  path: string;
  bindings: MethodBinding[];
  bodyMediaType: string | null;
}

export interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** Builds the request of a call. Throws VALIDATION_ERROR if the input cannot be sent. */
export function buildRequest(method: RequestMethod, input: Record<string, unknown>): HttpRequest {
  let path = method.path;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let whole: unknown;
  for (const { port, in: location, name = port } of method.bindings) {
    const value = Object.hasOwn(input, port) ? input[port] : undefined;
    if (value === undefined) continue;
    if (location === 'path') path = path.replaceAll(`{${name}}`, encodeURIComponent(text(value)));
    if (location === 'query') query.append(name, text(value));
    if (location === 'body') body[name] = whole = value;
  }
  const base = URL.parse(method.serverUrl);
  if (base === null) throw invalidFor(['serverUrl must be an address']);
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}${path}`);
  url.search = query.toString();
  const isWhole = method.bindings.some((binding) => binding.in === 'body' && binding.name === undefined);
  const hasBody = method.bodyMediaType !== null && (isWhole ? whole !== undefined : true);
  return {
    method: method.httpMethod.toUpperCase(),
    url,
    headers: hasBody ? { 'Content-Type': method.bodyMediaType ?? '' } : {},
    body: hasBody ? Buffer.from(JSON.stringify(isWhole ? whole : body)) : null,
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
