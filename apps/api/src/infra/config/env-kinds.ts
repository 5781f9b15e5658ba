import { isIP } from 'node:net';
import { parseAllowedHost } from './allowed-hosts.ts';

/** Parses a text from the environment; `expected` completes the sentence "NAME must be …". */
export interface EnvKind<T> {
  expected: string;
  /** Returns undefined if the text is invalid. */
  parse(text: string): T | undefined;
}

export const anyText: EnvKind<string> = { expected: 'a text', parse: (text) => text };

export function integer(min: number, max: number): EnvKind<number> {
  return {
    expected: `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function oneOf<T extends string>(...words: readonly T[]): EnvKind<T> {
  return { expected: `one of ${words.join(', ')}`, parse: (text) => words.find((word) => word === text) };
}

export const flag: EnvKind<boolean> = {
  expected: 'true or false',
  parse: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()],
};

/** Comma-separated; empty items are ignored. */
export function listOf<T>(item: EnvKind<T>): EnvKind<T[]> {
  return {
    expected: `a comma-separated list, each item ${item.expected}`,
    parse: (text) => {
      const texts = text.split(',').map((part) => part.trim());
      const values = texts.filter((part) => part !== '').map((part) => item.parse(part));
      return values.every((value) => value !== undefined) ? values : undefined;
    },
  };
}

/** Has no trailing slash, so that paths can be appended. */
export const httpAddress: EnvKind<string> = {
  expected: 'an http or https address without credentials, query or fragment',
  parse: (text) => {
    const url = parseHttpUrl(text);
    if (!url || url.username || url.password || url.search || url.hash) return undefined;
    return url.href.replace(/\/+$/, '');
  },
};

export const origin: EnvKind<string> = {
  expected: 'an origin such as https://console.example.com',
  parse: (text) => {
    const url = parseHttpUrl(text);
    return url && (text === url.origin || text === `${url.origin}/`) ? url.origin : undefined;
  },
};

export const databaseAddress: EnvKind<string> = {
  expected:
    'an address such as postgres://user:password@host:5432/name, with characters such as # and / of the password percent-encoded',
  parse: (text) => {
    const url = URL.parse(text);
    return url && /^postgres(ql)?:$/.test(url.protocol) && isDecodable(url.username + url.password)
      ? text
      : undefined;
  },
};

export const redisAddress: EnvKind<string> = {
  expected: 'an address such as redis://user:password@host:6379/0, or rediss:// for TLS',
  parse: (text) => (/^rediss?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined),
};

export const key256: EnvKind<Buffer> = {
  expected: '32 random bytes as base64 or as 64 hexadecimal digits',
  parse: (text) => {
    if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
    return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  },
};

export const emailAddress: EnvKind<string> = {
  expected: 'an e-mail address',
  parse: (text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? text : undefined),
};

export const allowedHost: EnvKind<string> = {
  expected: 'a host, host:port or CIDR range',
  parse: (text) => (parseAllowedHost(text) ? text : undefined),
};

/** As Express understands `trust proxy`. */
export const proxies: EnvKind<number | string[]> = {
  expected: 'a number of proxies from 0 to 32, or a comma-separated list of their addresses or CIDR ranges',
  parse: (text) => (/^\d+$/.test(text) ? integer(0, 32).parse(text) : listOf(addressRange).parse(text)),
};

const addressRange: EnvKind<string> = {
  expected: 'an address or CIDR range',
  parse: (text) => {
    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0) return undefined;
    return bits === undefined || integer(1, family === 4 ? 32 : 128).parse(bits) !== undefined
      ? text
      : undefined;
  },
};

export function textOf(minLength: number): EnvKind<string> {
  return {
    expected: `a text of at least ${minLength} characters`,
    parse: (text) => (text.length >= minLength ? text : undefined),
  };
}

/** What is sent in a header. */
export function secretOf(minLength: number): EnvKind<string> {
  return {
    expected: `at least ${minLength} printable ASCII characters without spaces`,
    parse: (text) => (/^[!-~]+$/.test(text) && text.length >= minLength ? text : undefined),
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parseHttpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}
