import { describeExample, describeText, describeValues, groupByName, SECRET } from '../describe-example.ts';
import { getList, getOwn, getText, isObject, setOwn, type JsonObject } from '../json.ts';
import { ImportError, type ReportReason } from '../types.ts';
import { Variables } from './variables.ts';

const MAX_REQUESTS = 5_000;
const MAX_FOLDERS = 20;
const MAX_FIELDS = 500;
/** Characters of a body or a response of which the schema is inferred. */
const MAX_EXAMPLE = 500_000;
const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const JSON_TYPE = 'application/json';

/** A request that cannot be imported. */
interface SkippedRequest {
  operationKey: string;
  pointer: string;
  reason: string;
}

export interface PostmanDocument {
  /** An OpenAPI document with one operation per request. */
  root: JsonObject;
  /** What was lost, by the operations. */
  lost: Map<object, ReportReason[]>;
  skipped: SkippedRequest[];
  /** Sentences about the entire collection. */
  notes: string[];
}

/** Whether a document is a collection of Postman. */
export function isPostman({ info, item }: JsonObject): boolean {
  return getText(info, 'schema').includes('getpostman.com') && Array.isArray(item);
}

/** Describes the requests of a Postman collection (v2) as an OpenAPI document. Authentication is not read. */
export function convertPostman(collection: JsonObject): PostmanDocument {
  const version = /v(\d+)\.\d+/.exec(getText(collection.info, 'schema'))?.[1];
  if (version !== undefined && version !== '2')
    throw new ImportError(`Postman collections of version ${version} cannot be imported: export it as v2.1`);
  const reader = new CollectionReader(collection);
  reader.read(getList(collection, 'item'), '', [], listScripts(collection));
  return reader.finish();
}

class CollectionReader {
  /** Those of the item that is being read. */
  private variables: Variables;
  private readonly paths: JsonObject = {};
  private readonly servers = new Map<string, JsonObject[]>();
  private readonly lost = new Map<object, ReportReason[]>();
  private readonly skipped: SkippedRequest[] = [];
  private readonly notes = [
    'The schemas are inferred from the examples of the collection, and all fields are optional. Authentication is configured on the tool',
  ];
  private count = 0;

  constructor(private readonly collection: JsonObject) {
    this.variables = new Variables(getList(collection, 'variable'));
  }

  /** `scripts`: those of the folders around. */
  read(
    items: readonly unknown[],
    pointer: string,
    folders: readonly string[],
    scripts: readonly string[],
  ): void {
    const outer = this.variables;
    for (const [i, item] of items.entries()) {
      if (!isObject(item)) continue;
      this.variables = outer.within(getList(item, 'variable'));
      const place = `${pointer}/item/${i}`;
      const name = getText(item, 'name');
      const allScripts = [...new Set([...scripts, ...listScripts(item)])];
      if (Array.isArray(item.item)) {
        if (folders.length < MAX_FOLDERS)
          this.read(item.item as unknown[], place, [...folders, name], allScripts);
        else this.skip(name, place, `The folder is more than ${MAX_FOLDERS} levels deep`);
        continue;
      }
      if (++this.count > MAX_REQUESTS) continue;
      this.readRequest(item, place, folders, allScripts);
    }
    this.variables = outer;
  }

  finish(): PostmanDocument {
    if (this.count > MAX_REQUESTS)
      this.notes.push(
        `The collection has ${this.count} requests, of which the first ${MAX_REQUESTS} are imported`,
      );
    if (Object.keys(this.paths).length === 0)
      throw new ImportError(
        this.skipped[0] === undefined
          ? 'The collection has no requests'
          : `No request of the collection can be imported. ${this.skipped[0].operationKey}: ${this.skipped[0].reason}`,
      );
    // Requests to others than the most frequent server have their own.
    const servers = [...this.servers].sort(([, a], [, b]) => b.length - a.length);
    for (const [url, operations] of servers.slice(1))
      for (const operation of operations) operation.servers = [{ url }];
    const { info } = this.collection;
    const version = getOwn(info, 'version');
    const root = {
      openapi: '3.1.0',
      info: { title: getText(info, 'name'), version: typeof version === 'string' ? version : '' },
      servers: servers.map(([url]) => ({ url })),
      paths: this.paths,
    };
    return { root, lost: this.lost, skipped: this.skipped, notes: this.notes };
  }

  private skip(operationKey: string, pointer: string, reason: string): void {
    this.skipped.push({ operationKey, pointer, reason });
  }

  private readRequest(
    item: JsonObject,
    pointer: string,
    folders: readonly string[],
    scripts: readonly string[],
  ): void {
    const name = getText(item, 'name');
    const place = `${pointer}/request`;
    // A request can be only its address.
    const request = isObject(item.request) ? item.request : { url: item.request };
    const verb = (getText(request, 'method') || 'GET').toLowerCase();
    const { url } = request;
    const [address = '', rawQuery = ''] = rawUrlOf(url)
      .split('#', 1)
      .join('')
      .split(/\?(.*)/s);
    const [, host = '', rest = ''] =
      /^((?:(?:[a-z][a-z0-9+.-]*|\{\{[^{}]{1,200}\}\}):\/\/)?[^/]*)(.*)$/is.exec(address.trim()) ?? [];
    const path = this.variables.toTemplate(rest || '/').replace(/\/:([A-Za-z_][\w-]*)/g, '/{$1}');
    const operationKey = `${verb.toUpperCase()} ${path}`;
    if (address.trim() === '') {
      this.skip(name || operationKey, place, 'The request has no address');
      return;
    }
    if (!VERBS.includes(verb)) {
      this.skip(operationKey, place, 'Its verb is not supported');
      return;
    }
    const known = getOwn(this.paths, path);
    const pathItem: JsonObject = isObject(known) ? known : {};
    if (Object.hasOwn(pathItem, verb)) {
      this.skip(
        operationKey,
        place,
        `${name.slice(0, 100)}: another request has the same verb and path, and only the first is imported`,
      );
      return;
    }

    const reasons: ReportReason[] = [];
    const lose = (at: string, reason: string) => reasons.push({ pointer: `${pointer}${at}`, reason });
    for (const listen of scripts) lose('/event', `Its ${listen} script is not imported`);
    const query = Array.isArray(getOwn(url, 'query')) ? getList(url, 'query') : readQuery(rawQuery);
    const body = this.describeBody(request, lose);
    const operation: JsonObject = {
      operationId: name,
      summary: name,
      description: textOf(request.description),
      tags: folders.filter((folder) => folder !== ''),
      parameters: [
        ...this.describePath(path, getList(url, 'variable')),
        ...this.describeParameters(query).map((one) => ({ ...one, in: 'query' })),
        ...this.describeParameters(getList(request, 'header')).map((one) => ({ ...one, in: 'header' })),
      ],
      ...(body && { requestBody: { content: body } }),
      responses: this.describeResponses(getList(item, 'response'), lose),
    };
    setOwn(pathItem, verb, operation);
    setOwn(this.paths, path, pathItem);
    this.lost.set(operation, reasons);
    const filled = this.variables.toTemplate(host);
    // As Postman does.
    const server = filled === '' || /^([a-z][a-z0-9+.-]*:|\{)/i.test(filled) ? filled : `http://${filled}`;
    const others = this.servers.get(server);
    if (others === undefined) this.servers.set(server, [operation]);
    else others.push(operation);
  }

  private describePath(path: string, variables: readonly unknown[]): JsonObject[] {
    const names = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name));
    const byName = new Map(variables.map((variable) => [getText(variable, 'key'), variable]));
    return [...names].map((name) => ({
      name,
      in: 'path',
      required: true,
      description: textOf(getOwn(byName.get(name), 'description')),
      schema: this.describeValue(name, [getText(byName.get(name), 'value')]),
    }));
  }

  /** What is sent now may be left out, because nobody can tell what is required. */
  private describeParameters(
    entries: readonly unknown[],
  ): { name: string; description: string; schema: JsonObject }[] {
    const named = entries.slice(0, MAX_FIELDS).filter((entry) => getText(entry, 'key') !== '');
    const groups = groupByName(named.map((entry) => [getText(entry, 'key'), getText(entry, 'value')]));
    const descriptions = new Map(
      named.map((entry) => [getText(entry, 'key'), textOf(getOwn(entry, 'description'))]),
    );
    return [...groups].map(([name, values]) => ({
      name,
      description: descriptions.get(name) ?? '',
      schema: this.describeValue(name, values),
    }));
  }

  /** A value with a variable that is not known says nothing about its type. */
  private describeValue(name: string, values: readonly string[]): JsonObject {
    const filled = values.map((value) => this.variables.fill(value));
    const isKnown = !SECRET.test(name) && !filled.some((value) => value === '' || value.includes('{{'));
    if (isKnown) return filled.length === 1 ? describeText(filled[0] ?? '') : describeValues(filled);
    return values.length === 1 ? { type: 'string' } : { type: 'array', items: { type: 'string' } };
  }

  private describeBody(request: JsonObject, lose: (at: string, reason: string) => void): JsonObject | null {
    const { body } = request;
    if (!isObject(body) || body.disabled === true) return null;
    const media = (type: string, schema: JsonObject) => ({ [type]: { schema } });
    const declared = mediaTypeOf(getList(request, 'header'));
    switch (body.mode) {
      case 'urlencoded':
      case 'formdata': {
        const isForm = body.mode === 'formdata';
        const entries = getList(body, body.mode).slice(0, MAX_FIELDS);
        const files = new Set(
          entries.filter((one) => getText(one, 'type') === 'file').map((one) => getText(one, 'key')),
        );
        const properties: JsonObject = {};
        for (const { name, schema, description } of this.describeParameters(entries))
          setOwn(properties, name, {
            ...(files.has(name) ? { type: 'string', format: 'binary' } : schema),
            ...(description !== '' && { description }),
          });
        const schema = { type: 'object', properties };
        return media(isForm ? 'multipart/form-data' : 'application/x-www-form-urlencoded', schema);
      }
      case 'file':
        return media(declared ?? 'application/octet-stream', { type: 'string', format: 'binary' });
      case 'graphql': {
        const properties = {
          query: { type: 'string' },
          variables: { type: 'object' },
          operationName: { type: 'string' },
        };
        lose('/request/body', 'The GraphQL query is not part of the method: it is an input');
        return media(JSON_TYPE, { type: 'object', properties, required: ['query'] });
      }
      case 'raw': {
        const text = getText(body, 'raw');
        if (text === '') return null;
        const language = getText(getOwn(getOwn(body, 'options'), 'raw'), 'language');
        const guess = language === 'json' || /^\s*[[{]/.test(text) ? JSON_TYPE : LANGUAGES[language];
        const type = declared ?? guess ?? 'text/plain';
        if (!/[/+]json$/.test(type)) return media(type, { type: 'string' });
        return media(
          type,
          this.inferSchema(text, () =>
            lose('/request/body', 'The body is not valid JSON, or too long, so it accepts anything'),
          ),
        );
      }
      default:
        return null;
    }
  }

  private inferSchema(text: string, onInvalid: () => void): JsonObject {
    try {
      if (text.length > MAX_EXAMPLE) throw new Error('too long');
      const { required: _, ...schema } = describeExample(JSON.parse(this.variables.toJson(text)), SECRET);
      return schema;
    } catch {
      onInvalid();
      return {};
    }
  }

  /** The first example of each status. */
  private describeResponses(
    responses: readonly unknown[],
    lose: (at: string, reason: string) => void,
  ): JsonObject {
    const described: JsonObject = {};
    responses.forEach((response, i) => {
      const code = getOwn(response, 'code');
      const text = getText(response, 'body');
      if (typeof code !== 'number' || code < 200 || code > 299 || text === '') return;
      if (Object.hasOwn(described, String(code))) return;
      const type =
        mediaTypeOf(getList(response, 'header')) ?? (/^\s*[[{]/.test(text) ? JSON_TYPE : 'text/plain');
      const schema = /[/+]json$/.test(type)
        ? this.inferSchema(text, () =>
            lose(
              `/response/${i}`,
              'The example of the response is not valid JSON, or too long, so the output is unknown',
            ),
          )
        : { type: 'string' };
      described[String(code)] = { description: '', content: { [type]: { schema } } };
    });
    return Object.keys(described).length > 0 ? described : { default: { description: '' } };
  }
}

const LANGUAGES: Record<string, string> = {
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
};

/** The kinds of scripts that an item has: `prerequest` and `test`. */
function listScripts(item: JsonObject): string[] {
  return getList(item, 'event')
    .filter((event) => getOwn(event, 'disabled') !== true)
    .filter((event) => [getOwn(getOwn(event, 'script'), 'exec')].flat().join('').trim() !== '')
    .map((event) => getText(event, 'listen').slice(0, 20));
}

function rawUrlOf(url: unknown): string {
  if (typeof url === 'string') return url;
  const raw = getText(url, 'raw');
  if (raw !== '') return raw;
  const join = (key: string, separator: string) =>
    [getOwn(url, key) ?? []]
      .flat()
      .filter((one) => typeof one === 'string')
      .join(separator);
  const protocol = getText(url, 'protocol');
  const path = join('path', '/');
  return `${protocol === '' ? '' : `${protocol}://`}${join('host', '.')}${path === '' ? '' : `/${path.replace(/^\//, '')}`}`;
}

function readQuery(query: string): JsonObject[] {
  return query.split('&', MAX_FIELDS).map((pair) => {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    return { key, value };
  });
}

function textOf(description: unknown): string {
  return typeof description === 'string' ? description : getText(description, 'content');
}

function mediaTypeOf(headers: readonly unknown[]): string | undefined {
  const header = headers.find(
    (one) => getText(one, 'key').toLowerCase() === 'content-type' && getOwn(one, 'disabled') !== true,
  );
  const [type = ''] = getText(header, 'value').toLowerCase().split(';');
  return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim() : undefined;
}
