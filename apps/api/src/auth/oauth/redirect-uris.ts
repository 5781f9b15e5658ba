import { isText } from '../../infra/requests/text.ts';

const MAX_LENGTH = 1_000;
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
/**
 * Schemes without a dot that programs are known to use. Any other must be the reversed name of a domain, as RFC 8252 demands:
 * among the rest are schemes that execute or read what is behind them.
 */
const KNOWN_SCHEMES = [
  'claude',
  'cursor',
  'goose',
  'raycast',
  'vscode',
  'vscode-insiders',
  'warp',
  'windsurf',
  'zed',
];
const DOMAIN_SCHEME = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;

/** Whether a client may ask to have people sent there. */
export function isRedirectUri(value: unknown): value is string {
  if (!isText(value) || value.length > MAX_LENGTH || /[\s#]/.test(value)) return false;
  const url = URL.parse(value);
  if (!url || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return isLoopback(url);
  return KNOWN_SCHEMES.includes(url.protocol.slice(0, -1)) || DOMAIN_SCHEME.test(url.protocol);
}

/** Whether one of the registered addresses is this one. A program on a device listens on any port (RFC 8252, 7.3). */
export function matchesRedirectUri(registered: readonly string[], given: string): boolean {
  if (!isRedirectUri(given)) return false;
  return registered.some((uri) => uri === given || withoutPort(uri) === withoutPort(given));
}

/** Where a redirect leads, for people to read. */
export interface RedirectTarget {
  /** A host, or the scheme of a program. */
  name: string;
  /** Whether a program on the device of the person receives it. */
  isLocal: boolean;
}

export function targetOf(uri: string): RedirectTarget {
  const url = new URL(uri);
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return { name: isHttp ? url.host : url.protocol, isLocal: !isHttp || isLoopback(url) };
}

/** The address with parameters of a response. */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}

const isLoopback = ({ hostname }: URL) => LOOPBACK.includes(hostname);

const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d{1,5}(?![^/?])/;

/** Changes the text only, so that the rest must be the same to the letter. */
const withoutPort = (uri: string) => uri.replace(LOOPBACK_PORT, '$1');
