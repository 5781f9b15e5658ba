import { invalid } from '../../infra/errors/app-error.ts';
import type { ToolAuthStatus } from '@platform/contracts';
import { encodeStrictly, type Pair } from './serialize.ts';

/** What the authentication adds to a request. It replaces what the input gives for the same name. */
export interface AuthParts {
  headers: Pair[];
  /** Encoded. */
  query: Pair[];
  cookies: Pair[];
  /** What must not appear in a response: the secret, and other texts that reveal it. */
  secrets: string[];
}

/** Characters that a cookie can have as they stand. */
const COOKIE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Builds the authentication of a call. `secret`: the value, token, or password. */
export function buildAuth(auth: ToolAuthStatus, secret: string | null): AuthParts {
  const none: AuthParts = { headers: [], query: [], cookies: [], secrets: secret === null ? [] : [secret] };
  if (auth.type === 'none' || secret === null) return none;
  switch (auth.type) {
    case 'bearer':
      return { ...none, headers: [header('Authorization', `Bearer ${secret}`)] };
    case 'basic': {
      const pair = Buffer.from(`${auth.username}:${secret}`).toString('base64');
      return { ...none, headers: [header('Authorization', `Basic ${pair}`)], secrets: [secret, pair] };
    }
    case 'header':
      return { ...none, headers: [header(auth.name, secret)] };
    case 'apiKey':
      if (auth.in === 'header') return { ...none, headers: [header(auth.name, secret)] };
      if (auth.in === 'query')
        return { ...none, query: [[encodeStrictly(auth.name), encodeStrictly(secret)]] };
      return { ...none, cookies: [[auth.name, COOKIE.test(secret) ? secret : encodeStrictly(secret)]] };
  }
}

function header(name: string, value: string): Pair {
  if (!canAuthenticate(name))
    throw invalid(`The tool authenticates with the header ${name}, which the platform sets itself`);
  // The message must not repeat the value: it is secret.
  if (!isHeaderName(name) || !isHeaderValue(value))
    throw invalid('The credentials of the tool have characters that a header cannot carry');
  return [name, value];
}

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name);
}

/** Whether a text can be sent in a header: Latin-1 without line breaks and other control characters. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const MANAGED_HEADERS = new Set([
  ...['accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'cookie', 'expect'],
  ...['host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** Whether a header is set by the platform alone, so that no value of an input can set it. */
export function isManagedHeader(name: string): boolean {
  return MANAGED_HEADERS.has(name.toLowerCase()) || /^(?:proxy|sec|x-platform)-/i.test(name);
}

/** Whether a tool can authenticate with a header. */
export function canAuthenticate(name: string): boolean {
  return !isManagedHeader(name) || /^(?:authorization|cookie)$/i.test(name);
}
