import { ImportError } from '../types.ts';

/** Short options with their long names. */
const LONG_NAMES: Record<string, string> = {
  A: 'user-agent',
  b: 'cookie',
  c: 'cookie-jar',
  d: 'data',
  D: 'dump-header',
  e: 'referer',
  E: 'cert',
  F: 'form',
  G: 'get',
  H: 'header',
  I: 'head',
  K: 'config',
  m: 'max-time',
  o: 'output',
  Q: 'quote',
  r: 'range',
  T: 'upload-file',
  u: 'user',
  U: 'proxy-user',
  w: 'write-out',
  x: 'proxy',
  X: 'request',

  C: 'continue-at',
  P: 'ftp-port',
  t: 'telnet-option',
  y: 'speed-time',
  Y: 'speed-limit',
  z: 'time-cond',
};

/** Options that take a value. Without this list, the value of one would be read as the address. */
const WITH_VALUE = new Set([
  'request',
  'header',
  'url',
  'user',
  'cookie',
  'user-agent',
  'referer',
  'upload-file',
  'url-query',
  'json',
  'data',
  'data-ascii',
  'data-raw',
  'data-binary',
  'data-urlencode',
  'form',
  'form-string',
  'oauth2-bearer',
  'aws-sigv4',
  'proxy',
  'proxy-user',
  'proxy-header',
  'preproxy',
  'noproxy',
  'socks5',

  'socks4',
  'socks4a',
  'socks5-hostname',
  'output',
  'output-dir',
  'write-out',
  'dump-header',
  'cookie-jar',

  'max-time',
  'connect-timeout',
  'expect100-timeout',
  'keepalive-time',
  'speed-time',
  'speed-limit',
  'rate',

  'retry',
  'retry-delay',
  'retry-max-time',
  'max-redirs',
  'max-filesize',
  'limit-rate',
  'range',
  'config',

  'cert',
  'cert-type',
  'key',
  'key-type',
  'pass',
  'cacert',
  'capath',
  'crlfile',
  'pinnedpubkey',
  'ciphers',
  'tls13-ciphers',
  'tls-max',
  'curves',
  'proto',
  'proto-default',
  'proto-redir',
  'resolve',
  'connect-to',

  'interface',
  'local-port',
  'dns-servers',
  'doh-url',
  'unix-socket',
  'abstract-unix-socket',
  'continue-at',

  'time-cond',
  'trace',
  'trace-ascii',
  'stderr',
  'request-target',
  'service-name',
  'delegation',
  'variable',
  'etag-save',
  'etag-compare',
  'hostpubmd5',
  'krb',
  'quote',
  'ftp-port',
  'telnet-option',
  'netrc-file',

  'create-file-mode',
  'alt-svc',
  'hsts',
  'libcurl',
  'parallel-max',
  'happy-eyeballs-timeout-ms',
  'engine',
]);

export interface CurlOption {
  /** Its long name; empty for an address. */
  name: string;
  value: string;
}

/** Reads the arguments of curl: `--name value`, `--name=value`, `-Xvalue`, and flags that are written together. */
export function readOptions(words: readonly string[]): CurlOption[] {
  const options: CurlOption[] = [];
  let isOnlyAddresses = false;
  let i = 0;
  const next = (option: string): string => {
    i += 1;
    const value = words[i];
    if (value === undefined) throw new ImportError(`The option ${option} of the command has no value`);
    return value;
  };
  for (; i < words.length; i++) {
    const word = words[i] ?? '';
    if (isOnlyAddresses || word === '-' || !word.startsWith('-')) options.push({ name: '', value: word });
    else if (word === '--') isOnlyAddresses = true;
    else if (word.startsWith('--')) {
      const [, name = '', value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const isTaken = value === undefined && WITH_VALUE.has(name);
      options.push({ name, value: isTaken ? next(word) : (value ?? '') });
    } else {
      for (let at = 1; at < word.length; at++) {
        const short = word.charAt(at);
        const name = LONG_NAMES[short] ?? short;
        if (!WITH_VALUE.has(name)) {
          options.push({ name, value: '' });
          continue;
        }
        const rest = word.slice(at + 1);
        options.push({ name, value: rest === '' ? next(`-${short}`) : rest });
        break;
      }
    }
  }
  return options;
}
