import type { ToolAuth } from '@platform/contracts';
import { ImportError } from '../types.ts';
import { readOptions } from './curl-options.ts';
import { splitWords } from './shell-words.ts';

const MAX_LENGTH = 200_000;
const FORM = 'application/x-www-form-urlencoded';
const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

interface FormField {
  name: string;
  value: string;
  isFile: boolean;
}

export type CurlBody =
  | { kind: 'text'; text: string; mediaType: string }
  | { kind: 'form'; fields: FormField[] }
  /** The content of a file, which is not part of the command. */
  | { kind: 'file'; mediaType: string };

/** What a command sends, without its credentials. */
export interface CurlRequest {
  httpMethod: string;
  /** Such as `https://api.example.com`. */
  server: string;
  /** As it is written, without the query. */
  path: string;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  body: CurlBody | null;
  /** How the command authenticates, without the secret. */
  auth: ToolAuth | null;
  /** Sentences about what was left out. */
  notes: string[];
}

/** Reads a curl command. Throws an ImportError with a sentence for the user. Nothing is run. */
export function parseCurl(command: string): CurlRequest {
  if (command.length > MAX_LENGTH) throw new ImportError('The command is too long');
  const words = splitWords(command);
  // A prompt that was copied with the command.
  if (words[0] === '$' || words[0] === '%') words.shift();
  if (!/(^|[\\/])curl(\.exe)?$/i.test(words[0] ?? '')) {
    throw new ImportError('This is not a curl command: it must begin with curl');
  }
  const reader = new CommandReader();
  for (const { name, value } of readOptions(words.slice(1))) reader.read(name, value);
  return reader.finish();
}

class CommandReader {
  private readonly headers: [name: string, value: string][] = [];
  private readonly data: string[] = [];
  private readonly fields: FormField[] = [];
  private readonly query: string[] = [];
  private readonly notes: string[] = [];
  private address: string | null = null;
  private verb: string | null = null;
  private auth: ToolAuth | null = null;
  private isGet = false;
  private isJson = false;
  private hasFile = false;

  read(option: string, value: string): void {
    switch (option) {
      case '':
      case 'url':
        if (this.address === null) this.address = value;
        else this.notes.push('Only the first address of the command is imported');
        return;
      case 'request':
        this.verb = value;
        return;
      case 'header':
        this.addHeader(value);
        return;
      case 'json':
        this.isJson = true;
        this.addData(value, true);
        return;
      case 'data':
      case 'data-ascii':
      case 'data-binary':
        this.addData(value, true);
        return;
      case 'data-raw':
        this.addData(value, false);
        return;
      case 'data-urlencode':
        this.addEncoded(value, this.data);
        return;
      case 'url-query':
        if (value.startsWith('+')) this.query.push(value.slice(1));
        else this.addEncoded(value, this.query);
        return;
      case 'form':
      case 'form-string':
        this.addField(value, option === 'form');
        return;
      case 'get':
        this.isGet = true;
        return;
      case 'head':
        this.verb ??= 'HEAD';
        return;
      case 'upload-file':
        this.verb ??= 'PUT';
        this.hasFile = true;
        return;
      case 'user':
        this.auth = { type: 'basic', username: value.split(':')[0] ?? '' };
        return;
      case 'oauth2-bearer':
        this.auth = { type: 'bearer' };
        return;
      case 'cookie':
        this.addCookies(value);
        return;
      case 'proxy':
      case 'cert':
      case 'key':
      case 'aws-sigv4':
      case 'config':
        this.notes.push(`The option --${option} has no equivalent in a tool and is left out`);
        return;
      default:
      // Concerns only how curl shows the response, or the connection.
    }
  }

  finish(): CurlRequest {
    const { server, path, query } = this.readAddress();
    const isInQuery = this.isGet;
    const body = isInQuery ? null : this.readBody();
    const verb = this.verb ?? (body === null ? 'GET' : 'POST');
    const httpMethod = verb.toLowerCase();
    if (!VERBS.includes(httpMethod)) throw new ImportError(`Tools cannot send ${verb} requests`);
    const hasNoBody = ['get', 'head', 'trace'].includes(httpMethod);
    if (hasNoBody && body !== null) {
      this.notes.push(`A tool sends no body with ${verb.toUpperCase()}, so the body is left out`);
    }
    const pairs = readPairs([query, ...this.query, ...(isInQuery ? this.data : [])].join('&'));
    return {
      httpMethod,
      server,
      path,
      query: pairs.filter(([name]) => !this.takeSecretParameter(name)),
      headers: this.headers.filter(([name]) => name.toLowerCase() !== 'content-type'),
      body: hasNoBody ? null : body,
      auth: this.auth,
      notes: [...this.notes, ...(this.auth === null ? [] : [AUTH_NOTE])],
    };
  }

  private readAddress(): { server: string; path: string; query: string } {
    if (this.address === null) throw new ImportError('The command has no address');
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(this.address) ? this.address : `http://${this.address}`;
    // URL would encode the braces of path variables.
    const [, scheme = '', authority = '', path = '', query = ''] =
      /^([^:]+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(address) ?? [];
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    if (host !== authority) {
      this.auth ??= { type: 'basic', username: authority.split(/[:@]/)[0] ?? '' };
    }
    const server = `${scheme.toLowerCase()}://${host}`;
    if (!/^https?$/i.test(scheme) || !URL.canParse(server)) {
      throw new ImportError(`${server} is not an http or https address`);
    }
    return { server, path: path === '' ? '/' : path, query };
  }

  private addHeader(header: string): void {
    const [, name = '', value = ''] = /^\s*([^:;]+?)\s*(?:[:;]\s*([\s\S]*?))?\s*$/.exec(header) ?? [];
    const key = name.toLowerCase();
    if (key === 'authorization') this.auth = readAuthorization(value);
    else if (key === 'cookie') this.addCookies(value);
    else if (isSecretHeader(key)) this.auth ??= { type: 'header', name };
    else if (key === 'content-type' || (key !== '' && !isBrowserHeader(key)))
      this.headers.push([name, value]);
  }

  private addCookies(cookies: string): void {
    const [first = '', ...others] = cookies.split(';').map((cookie) => (cookie.split('=')[0] ?? '').trim());
    this.notes.push('Cookies are not imported, because they often contain a session');
    if (cookies.includes('=') && others.length === 0)
      this.auth ??= { type: 'apiKey', in: 'cookie', name: first };
  }

  private addData(value: string, canBeFile: boolean): void {
    if (canBeFile && value.startsWith('@')) this.hasFile = true;
    else this.data.push(value);
  }

  private addEncoded(value: string, target: string[]): void {
    const [, name = '', sign = '', text = ''] = /^([^=@]*)([=@]?)([\s\S]*)$/.exec(value) ?? [];
    const content = sign === '' ? name : text;
    const encoded = sign === '@' ? '' : encodeURIComponent(content);
    target.push(sign === '' || name === '' ? encoded : `${name}=${encoded}`);
  }

  private addField(field: string, canBeFile: boolean): void {
    const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(field) ?? [];
    const isFile = canBeFile && value.startsWith('@');
    const isFileText = canBeFile && value.startsWith('<');
    const text = canBeFile ? value.replace(/;(type|filename|headers|encoder)=[\s\S]*$/, '') : value;
    this.fields.push({ name, value: isFile || isFileText ? '' : text, isFile });
  }

  private readBody(): CurlBody | null {
    const declared = this.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const mediaType = (declared.split(';')[0] ?? '').trim().toLowerCase();
    if (this.fields.length > 0) return { kind: 'form', fields: this.fields };
    if (this.data.length === 0) {
      if (!this.hasFile) return null;
      this.notes.push('The content of the file is not part of the command: the body accepts anything');
      return {
        kind: 'file',
        mediaType: mediaType || (this.isJson ? 'application/json' : 'application/octet-stream'),
      };
    }
    const text = this.data.join(this.isJson ? '' : '&');
    // Commands often lack the header, although the data is JSON.
    const isJson = this.isJson || (mediaType === '' && /^\s*[[{]/.test(text));
    return { kind: 'text', text, mediaType: mediaType || (isJson ? 'application/json' : FORM) };
  }

  /** Keeps a secret out of the method. */
  private takeSecretParameter(name: string): boolean {
    if (!isSecretParameter(name)) return false;
    this.auth ??= { type: 'apiKey', in: 'query', name };
    return true;
  }
}

const AUTH_NOTE =
  'Credentials are not imported: enter them under Authentication, where they are stored encrypted';

function readAuthorization(value: string): ToolAuth {
  const scheme = (value.split(/\s/)[0] ?? '').toLowerCase();
  if (scheme === 'bearer') return { type: 'bearer' };
  if (scheme === 'basic') return { type: 'basic', username: '' };
  return { type: 'header', name: 'Authorization' };
}

/** Whether a header usually carries a secret, such as X-Vault-Token. */
function isSecretHeader(name: string): boolean {
  return /(token|secret|password|signature|key|auth|authorization)$/.test(name) && name !== 'idempotency-key';
}

/** Whether a query parameter usually carries a secret. Many others end in key or token, such as page_token. */
function isSecretParameter(name: string): boolean {
  return /^(key|token|auth|sig|(.*[-_])?(api[-_]?key|(access|auth|session)[-_]?token|access[-_]?key|secret|password|signature))$/i.test(
    name,
  );
}

/** Headers that browsers and curl add, and that say nothing about the API. */
function isBrowserHeader(name: string): boolean {
  return (
    name.startsWith('sec-') ||
    name.startsWith(':') ||
    [
      'accept',
      'accept-encoding',
      'accept-language',
      'cache-control',
      'connection',
      'content-length',
      'dnt',

      'expect',
      'host',
      'if-modified-since',
      'if-none-match',
      'keep-alive',
      'origin',
      'pragma',
      'priority',

      'proxy-connection',
      'referer',
      'te',
      'transfer-encoding',
      'upgrade-insecure-requests',
      'user-agent',
    ].includes(name)
  );
}

/** Names and values of a query or of an urlencoded form. */
export function readPairs(text: string): [name: string, value: string][] {
  return [...new URLSearchParams(text.replace(/^&+/, ''))].filter(([name]) => name !== '');
}
