// Node.js runs this file in a process of its own, without compiling it: only types that can be removed are allowed.

/**
 * The part of the prelude with what browsers and Node.js have beside the language, and what the platform adds: a function of
 * what it needs from the prelude that returns members of `platform`. The work is done by `builtins.ts`.
 */
export const PRELUDE_BUILTINS = `(function ({ hostBuiltin, checkTime, call, define, parse, stringify, assign, isView, Failure }) {

  const Text = String, Bytes = Uint8Array, Buffer = ArrayBuffer;
  const ERRORS = { __proto__: null, TypeError, RangeError };

  /** Calls a built-in of the host: bytes are handed over beside the JSON. */
  function builtin(name, ...args) {
    checkTime();
    const buffers = [], plain = [];
    for (let i = 0; i < args.length; i++) {
      const bytes = bytesOf(args[i]);
      if (bytes === null) plain[i] = args[i];
      else if (bytes.byteLength === 0) plain[i] = '';
      else {
        plain[i] = { bytes: buffers.length };
        buffers[buffers.length] = bytes;
      }
    }
    const result = hostBuiltin(stringify([name, plain]), buffers[0], buffers[1]);
    if (typeof result !== 'string') return result;
    const { error, value } = parse(result);
    if (error === undefined) return value;
    const known = ERRORS[error.name];
    throw known === undefined ? assign(new Failure(error.message), { name: error.name }) : new known(error.message);
  }

  /** The bytes of a value in a buffer of their own; null if it has none. */
  function bytesOf(value) {
    if (isView(value)) return value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
    return value instanceof Buffer ? value : null;
  }

  const toBytes = (buffer) => new Bytes(buffer ?? 0);

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return toBytes(builtin('encodeText', Text(text))); }
  }

  class TextDecoder {
    #label; #fatal; #ignoreBOM;
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      this.#label = builtin('encodingOf', Text(label));
      this.#fatal = fatal === true;
      this.#ignoreBOM = ignoreBOM === true;
    }
    get encoding() { return this.#label; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(bytes = new Bytes(0), { stream = false } = {}) {
      if (stream) throw new TypeError('TextDecoder cannot decode parts of a text: decode all bytes at once');
      if (bytesOf(bytes) === null) throw new TypeError('TextDecoder decodes bytes');
      return builtin('decodeText', bytes, this.#label, this.#fatal, this.#ignoreBOM);
    }
  }

  let linkParams, replacePairs;

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    static {
      linkParams = (query, changed) => {
        const params = new URLSearchParams(query);
        params.#changed = changed;
        return params;
      };
      replacePairs = (params, query) => { params.#pairs = builtin('parseQuery', query); };
    }
    constructor(init = '') {
      if (typeof init !== 'object' || init === null) this.#pairs = builtin('parseQuery', Text(init));
      else for (const [name, value] of typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init))
        this.#pairs.push([Text(name), Text(value)]);
    }
    get [Symbol.toStringTag]() { return 'URLSearchParams'; }
    get size() { return this.#pairs.length; }
    #set(pairs) { this.#pairs = pairs; this.#changed(); }
    append(name, value) { this.#set([...this.#pairs, [Text(name), Text(value)]]); }
    delete(name, value) {
      this.#set(this.#pairs.filter((pair) => pair[0] !== Text(name) || (value !== undefined && pair[1] !== Text(value))));
    }
    get(name) { return this.#pairs.find((pair) => pair[0] === Text(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter((pair) => pair[0] === Text(name)).map((pair) => pair[1]); }
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === Text(name) && (value === undefined || pair[1] === Text(value)));
    }
    set(name, value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === Text(name));
      if (at === -1) return this.append(name, value);
      this.#set(this.#pairs.filter((pair, i) => i <= at || pair[0] !== Text(name))
        .map((pair, i) => (i === at ? [pair[0], Text(value)] : pair)));
    }
    sort() { this.#set([...this.#pairs].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))); }
    forEach(visit, self) { for (const [name, value] of this.#pairs) visit.call(self, value, name, this); }
    *entries() { for (const pair of this.#pairs) yield [...pair]; }
    *keys() { for (const pair of this.#pairs) yield pair[0]; }
    *values() { for (const pair of this.#pairs) yield pair[1]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return builtin('formatQuery', this.#pairs); }
  }

  class URL {
    #parts; #params = null;
    constructor(url, base) { this.#parts = builtin('url', Text(url), base === undefined ? null : Text(base)); }
    static parse(url, base) {
      try { return new URL(url, base); } catch { return null; }
    }
    static canParse(url, base) { return URL.parse(url, base) !== null; }
    get searchParams() {
      const changed = () => { this.#change('search', this.#params.toString()); };
      return (this.#params ??= linkParams(this.#parts.search, changed));
    }
    #change(part, value) { this.#parts = builtin('changeUrl', this.#parts.href, part, value); }
    static {
      for (const part of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname',
        'search', 'hash']) {
        Object.defineProperty(URL.prototype, part, {
          configurable: true,
          get() { return this.#parts[part]; },
          set(value) {
            this.#change(part, Text(value));
            if (this.#params !== null) replacePairs(this.#params, this.#parts.search);
          },
        });
      }
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
  }

  const CLONED = { __proto__: null };
  for (const known of [Boolean, Number, Text, Date]) CLONED[known.name] = (value) => new known(value.valueOf());
  CLONED.RegExp = ({ source, flags }) => new RegExp(source, flags);
  CLONED.ArrayBuffer = (value) => value.slice(0);

  function structuredClone(value) {
    const copies = new Map();
    const refuse = (what) => { throw assign(new Failure(what + ' cannot be cloned'), { name: 'DataCloneError' }); };
    const keep = (original, copy) => { copies.set(original, copy); return copy; };
    function copyOf(value) {
      if (typeof value === 'function' || typeof value === 'symbol') refuse('A ' + typeof value);
      if (typeof value !== 'object' || value === null) return value;
      if (copies.has(value)) return copies.get(value);
      const kind = Object.prototype.toString.call(value).slice(8, -1);
      if (CLONED[kind] !== undefined) return keep(value, CLONED[kind](value));
      if (isView(value)) return keep(value, value.slice ? value.slice() : new DataView(value.buffer.slice(0)));
      if (kind === 'Map') {
        const copy = keep(value, new Map());
        for (const [key, item] of value) copy.set(copyOf(key), copyOf(item));
        return copy;
      }
      if (kind === 'Set') {
        const copy = keep(value, new Set());
        for (const item of value) copy.add(copyOf(item));
        return copy;
      }
      if (value instanceof Failure) {
        const copy = keep(value, new Failure(value.message));
        return assign(copy, { name: value.name, stack: value.stack });
      }
      if (kind !== 'Array' && kind !== 'Object') refuse('A ' + kind);
      const copy = keep(value, kind === 'Array' ? new Array(value.length) : {});
      for (const key of Object.keys(value)) define(copy, key, copyOf(value[key]), true);
      return copy;
    }
    return copyOf(value);
  }

  const globals = {
    TextEncoder, TextDecoder, URL, URLSearchParams, structuredClone,
    btoa: (text) => builtin('btoa', Text(text)),
    atob: (text) => builtin('atob', Text(text)),
  };
  for (const name of Object.keys(globals)) define(globalThis, name, globals[name]);

  const decodeBytes = (text) => toBytes(builtin('fromBase64', text));
  return {
    hash: (algorithm, data, encoding = 'hex') => builtin('hash', algorithm, data, encoding),
    hmac: (algorithm, key, data, encoding = 'hex') => builtin('hmac', algorithm, key, data, encoding),
    base64: {
      encode: (data, { url = false } = {}) => builtin('toBase64', data, url),
      decode: (text) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decodeBytes(text)),
      decodeBytes,
    },
    sleep: async (ms) => { await call('sleep', { ms }); },
  };
})`;
