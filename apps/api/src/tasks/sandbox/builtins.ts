import type * as Crypto from 'node:crypto';

// Node.js runs this file in a process of its own, without compiling it: only types that can be removed are allowed.
// Every function is pure and takes linear time: code can do nothing with them that it could not do alone, more slowly.

/** Of each text or piece of bytes that code hands over. */
const MAX_BYTES = 1024 * 1024;
const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'];
const ENCODINGS = ['hex', 'base64', 'base64url'];
const BASE64 = /^[\w+/-]*={0,2}$/;
const URL_PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

type Part = (typeof URL_PARTS)[number];

/** What the code has handed over: texts are JSON, and bytes are `{ bytes: n }`, the n-th of `buffers`. */
class Arguments {
  private readonly values: unknown[];
  private readonly buffers: readonly Uint8Array[];

  constructor(values: unknown, buffers: readonly Uint8Array[]) {
    this.values = Array.isArray(values) ? values : [];
    this.buffers = buffers;
  }

  text(i: number, name: string): string {
    const value = this.values[i];
    if (typeof value !== 'string') throw new TypeError(`${name} must be a text`);
    return checkSize(value, name);
  }

  /** A text becomes bytes as UTF-8. */
  data(i: number, name: string): Uint8Array {
    const value = this.values[i];
    if (typeof value === 'string') return Buffer.from(checkSize(value, name));
    const index = (value as { bytes?: unknown } | null)?.bytes;
    const bytes = typeof index === 'number' ? this.buffers[index] : undefined;
    if (bytes === undefined) throw new TypeError(`${name} must be a text or bytes`);
    return checkSize(bytes, name);
  }

  oneOf<Value extends string>(i: number, name: string, values: readonly Value[]): Value {
    const found = values.find((one) => one === this.values[i]);
    if (found === undefined) throw new TypeError(`${name} must be one of ${values.join(', ')}`);
    return found;
  }

  optional(i: number): unknown {
    return this.values[i] ?? null;
  }
}

type Builtin = (given: Arguments) => unknown;

const BUILTINS: Record<string, Builtin> = {
  hash(given) {
    const algorithm = given.oneOf(0, 'The algorithm', ALGORITHMS);
    const hash = crypto().createHash(algorithm).update(given.data(1, 'The data'));
    return hash.digest(given.oneOf(2, 'The encoding', ENCODINGS) as 'hex');
  },
  hmac(given) {
    const algorithm = given.oneOf(0, 'The algorithm', ALGORITHMS);
    const hmac = crypto().createHmac(algorithm, given.data(1, 'The key')).update(given.data(2, 'The data'));
    return hmac.digest(given.oneOf(3, 'The encoding', ENCODINGS) as 'hex');
  },
  toBase64: (given) =>
    Buffer.from(given.data(0, 'The data')).toString(given.optional(1) === true ? 'base64url' : 'base64'),
  fromBase64(given) {
    const text = given.text(0, 'The base64 text').replace(/\s/g, '');
    if (!BASE64.test(text)) throw new TypeError('The text is not base64');
    return Buffer.from(text, 'base64');
  },
  btoa: (given) => btoa(given.text(0, 'The text')),
  atob: (given) => atob(given.text(0, 'The text')),
  encodeText: (given) => given.data(0, 'The text'),
  decodeText(given) {
    const [fatal, ignoreBOM] = [given.optional(2) === true, given.optional(3) === true];
    return new TextDecoder(given.text(1, 'The encoding'), { fatal, ignoreBOM }).decode(
      given.data(0, 'The bytes'),
    );
  },
  encodingOf: (given) => new TextDecoder(given.text(0, 'The encoding')).encoding,
  url: (given) => partsOf(new URL(given.text(0, 'The URL'), baseOf(given))),
  changeUrl(given) {
    const url = new URL(given.text(0, 'The URL'));
    const part = given.oneOf(1, 'The part', URL_PARTS);
    if (part !== 'origin') url[part] = given.text(2, 'The value');
    return partsOf(url);
  },
  parseQuery: (given) => [...new URLSearchParams(given.text(0, 'The query'))],
  formatQuery(given) {
    const pairs = given.optional(0) as string[][];
    checkSize({ length: pairs.reduce((sum, pair) => sum + pair.join('=').length, 0) }, 'The query');
    return new URLSearchParams(pairs).toString();
  },
};

/** Calls a built-in with JSON. Returns bytes, or JSON with a value or the error that the code is to throw. */
export function callBuiltin(request: string, buffers: readonly Uint8Array[]): Uint8Array | string {
  try {
    const [name, args] = JSON.parse(request) as [string, unknown];
    const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
    const value = builtin?.(new Arguments(args, buffers));
    if (value instanceof Uint8Array && value.length > 0) return value;
    return JSON.stringify({ value: value instanceof Uint8Array ? null : value });
  } catch (error) {
    const { name, message } = error as Error;
    return JSON.stringify({ error: { name, message } });
  }
}

function checkSize<Value extends { length: number }>(value: Value, name: string): Value {
  if (value.length > MAX_BYTES)
    throw new RangeError(`${name} must have at most ${MAX_BYTES} characters or bytes`);
  return value;
}

function baseOf(given: Arguments): string | undefined {
  return given.optional(1) === null ? undefined : given.text(1, 'The base URL');
}

function partsOf(url: URL): Record<Part, string> {
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]])) as Record<Part, string>;
}

/** Loaded when it is first needed: a process starts faster without it. */
function crypto(): typeof Crypto {
  return process.getBuiltinModule('node:crypto');
}
