import { getList, getOwn, getText, isObject, type JsonObject } from './json.ts';
import type { DocumentKind, ImportedServer } from './types.ts';

const MAX_SERVERS = 50;
const MAX_URL = 2_000;

/** The servers of a document. Relative addresses are resolved against that of the document, if it is known. */
export function listServers(
  root: JsonObject,
  kind: DocumentKind,
  documentUrl: string | undefined,
): ImportedServer[] {
  if (kind === 'swagger2') return listSwaggerServers(root, documentUrl);
  const declared = readServers(getList(root, 'servers'), documentUrl);
  const origin = parseUrl(documentUrl)?.origin;
  // Without a server, the address is `/` of the document's own origin.
  return declared.length > 0 || origin === undefined || origin === 'null'
    ? declared
    : [{ url: origin, description: '' }];
}

/** Whether a method can be called at an address. */
export function isCallable(url: string): boolean {
  const parsed = parseUrl(url);
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === '' &&
    !/[?#]/.test(parsed.href) &&
    url.length <= MAX_URL
  );
}

/** The first server of an operation, or of its path, if they have their own. */
export function findOverridingServer(
  operation: JsonObject,
  pathItem: JsonObject,
  documentUrl: string | undefined,
): string | undefined {
  const [server] = [operation, pathItem].flatMap((holder) =>
    readServers(getList(holder, 'servers').slice(0, 1), documentUrl),
  );
  return server?.url;
}

function readServers(servers: unknown[], documentUrl: string | undefined): ImportedServer[] {
  return servers.slice(0, MAX_SERVERS).flatMap((server) => {
    const url = getText(server, 'url');
    if (url === '') return [];
    const filled = fillVariables(url, getOwn(server, 'variables'));
    return [{ url: toAbsolute(filled, documentUrl), description: getText(server, 'description') }];
  });
}

/** Replaces the variables of a server address with their defaults. */
function fillVariables(url: string, variables: unknown): string {
  return url.replace(/\{([^{}]+)\}/g, (placeholder, name: string) => {
    const value = getOwn(getOwn(variables, name), 'default');
    return typeof value === 'string' || typeof value === 'number' ? String(value) : placeholder;
  });
}

function listSwaggerServers(root: JsonObject, documentUrl: string | undefined): ImportedServer[] {
  const path = getText(root, 'basePath');
  const base = path === '' || path.startsWith('/') ? path : `/${path}`;
  const document = parseUrl(documentUrl);
  // Some documents have a whole address there.
  const [, scheme, host = document?.host ?? ''] =
    /^(?:(https?):\/\/)?([^/\s].*)$/i.exec(getText(root, 'host')) ?? [];
  if (host === '') return base === '' ? [] : [{ url: base, description: '' }];
  const declared = getList(root, 'schemes').filter((one) => one === 'http' || one === 'https');
  const fallback = document?.protocol === 'http:' ? 'http' : 'https';
  const schemes = declared.length > 0 ? declared : [scheme?.toLowerCase() ?? fallback];
  // An encrypted connection comes first.
  return schemes
    .sort((a, b) => Number(b === 'https') - Number(a === 'https'))
    .map((one) => ({ url: withoutSlash(`${one}://${withoutSlash(host)}${base}`), description: '' }));
}

function toAbsolute(url: string, documentUrl: string | undefined): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return withoutSlash(url);
  const base = parseUrl(documentUrl);
  // A placeholder without a default would be encoded.
  if (base === null || url.includes('{')) return withoutSlash(url);
  return withoutSlash(parseUrl(url, base.href)?.href ?? url);
}

function parseUrl(url: string | undefined, base?: string): URL | null {
  if (url === undefined || !URL.canParse(url, base)) return null;
  return new URL(url, base);
}

function withoutSlash(url: string): string {
  return url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url;
}

export function titleOf(root: JsonObject): { title: string; version: string } {
  const info = isObject(root.info) ? root.info : {};
  const { version } = info;
  return {
    title: getText(info, 'title') || 'Untitled API',
    version: typeof version === 'string' || typeof version === 'number' ? String(version) : '',
  };
}
