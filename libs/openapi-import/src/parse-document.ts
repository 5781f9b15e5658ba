import {
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  intCoreTag,
  mergeTag,
  parseEvents,
  type Event,
} from 'js-yaml';
import { getOwn, isObject, setOwn, type JsonObject } from './json.ts';
import { convertPostman, isPostman, type PostmanDocument } from './postman/postman-document.ts';
import { ImportError, type DocumentKind, type ImportSource } from './types.ts';

/** Characters of a document. */
export const MAX_DOCUMENT_LENGTH = 20 * 1024 * 1024;
const EXTENSIONS = ['.json', '.yaml', '.yml'];
/** Levels of nested objects and arrays. */
const MAX_DEPTH = 500;
/** Objects and arrays, with each YAML alias counted as a copy of its anchor. */
const MAX_NODES = 2_000_000;
/** Integers that a number cannot hold become texts, as in JSON. */
const INTEGER_TAG = defineScalarTag<ReturnType<typeof intCoreTag.resolve> | string>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    const isHeld = typeof value !== 'number' || Number.isSafeInteger(value);
    return isHeld || !/^(?:[-+]?\d+|0[xo][\da-fA-F]+)$/.test(source) ? value : String(BigInt(source));
  },
});
const SCHEMA = CORE_SCHEMA.withTags(mergeTag, INTEGER_TAG);
/** An integer that a number may not hold. As a bound, the nearest number is good enough. */
const LARGE_INTEGER =
  /(?<!"(?:exclusiveM|m)(?:ax|in)imum"\s{0,4}:\s{0,4}-?\d{0,25})(?:\d{17}|9(?!007199254740991\b)\d{15})(?=\s*[,\]}])/;
/** What a database cannot store: U+0000, and halves of characters. */
const UNSTORABLE = /\\(?:u0000|u[dD][89a-fA-F]|0|x00|U0000)/;
const KNOWN_TAG = /^(!!|!<tag:yaml\.org,2002:)(str|int|float|bool|null|map|seq)>?$/;

export interface ParsedDocument {
  kind: DocumentKind;
  root: JsonObject;
  /** Present if the document was a Postman collection. */
  collection?: PostmanDocument;
}

/** Parses a document and checks that it is one. Throws an ImportError with a sentence for the user. */
export function parseDocument({ text, contentType = '', fileName }: ImportSource): ParsedDocument {
  if (fileName !== undefined && !EXTENSIONS.some((extension) => fileName.toLowerCase().endsWith(extension))) {
    throw new ImportError(`${fileName} is not a .json, .yaml, or .yml file`);
  }
  if (text.length > MAX_DOCUMENT_LENGTH) {
    const size = (text.length / 1024 / 1024).toFixed(1);
    throw new ImportError(`The document has ${size} MB. Documents of at most 20 MB can be imported`);
  }
  const content = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const root = parseText(content, contentType);
  if (!isObject(root)) throw notADocument(content);
  cleanTree(root);
  if (content.includes('\0') || UNSTORABLE.test(content) || !content.isWellFormed()) cleanTexts(root);
  if (!Object.hasOwn(root, 'openapi') && !Object.hasOwn(root, 'swagger') && isPostman(root)) {
    const collection = convertPostman(root);
    return { kind: 'openapi3', root: collection.root, collection };
  }
  return { kind: detectKind(root, content), root };
}

/** Parses a document that is a part of another one. Throws an ImportError. */
export function parsePart(text: string, contentType = ''): object {
  const content = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const part = parseText(content, contentType);
  if (typeof part !== 'object' || part === null)
    throw new ImportError('This is neither an object nor a list');
  cleanTree(part);
  if (content.includes('\0') || UNSTORABLE.test(content) || !content.isWellFormed()) cleanTexts(part);
  return part;
}

/** JSON if the text starts with `{` or the Content-Type contains `json`, otherwise YAML. */
function parseText(text: string, contentType: string): unknown {
  const trimmed = text.trimStart();
  if (trimmed === '') throw new ImportError('The document is empty');
  const startsLikeJson = trimmed.startsWith('{');
  if (startsLikeJson || contentType.toLowerCase().includes('json')) {
    try {
      return parseJson(text);
    } catch (error) {
      // A server may send YAML with a wrong type.
      if (startsLikeJson) throw new ImportError(`The document is not valid JSON: ${messageOf(error)}`);
    }
  }
  if (/^<(!doctype|html|\?xml)/i.test(trimmed)) throw notADocument(text);
  return parseYaml(text);
}

/** Integers that a number cannot hold become texts, such as examples of ids with 64 bits. */
function parseJson(text: string): unknown {
  if (!LARGE_INTEGER.test(text)) return JSON.parse(text) as unknown;
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? context?.source
      : value;
  return JSON.parse(text, keepDigits) as unknown;
}

function parseYaml(text: string): unknown {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    for (const event of events) dropUnknownTag(event, text);
    const documents = constructFromEvents(events, { source: text, schema: SCHEMA, json: true });
    return documents[0];
  } catch (error) {
    throw new ImportError(`The document is neither valid JSON nor valid YAML: ${messageOf(error)}`);
  }
}

/** A tag such as `!!js/undefined` must not make the whole document fail. */
function dropUnknownTag(event: Event, text: string): void {
  if (!('tagStart' in event) || event.tagStart < 0) return;
  if (KNOWN_TAG.test(text.slice(event.tagStart, event.tagEnd))) return;
  event.tagStart = -1;
  event.tagEnd = -1;
}

function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function notADocument(text: string): ImportError {
  return /^\s*<(!doctype|html)/i.test(text)
    ? new ImportError(
        'This is an HTML page, not an API document. Look on the page for a link to openapi.json or swagger.yaml',
      )
    : new ImportError('The document must be an object with an openapi or a swagger field');
}

/**
 * Removes `__proto__` keys, which would become prototypes of copies, and bounds the document: aliases of YAML share nodes,
 * so a small text can stand for billions of nodes, or contain itself.
 */
function cleanTree(root: object): void {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const stack: { node: object; depth: number; isDone: boolean }[] = [{ node: root, depth: 0, isDone: false }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { node, depth, isDone } = item;
    if (isDone) {
      open.delete(node);
      sizes.set(node, sizeOf(node, sizes));
      continue;
    }
    if (sizes.has(node)) continue;
    if (open.has(node)) throw new ImportError('A YAML alias in the document refers to its own ancestor');
    if (depth > MAX_DEPTH) throw new ImportError(`The document is nested more than ${MAX_DEPTH} levels deep`);
    open.add(node);
    stack.push({ node, depth, isDone: true });
    if (!Array.isArray(node) && Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
    for (const child of Object.values(node) as unknown[]) {
      if (typeof child !== 'object' || child === null) continue;
      if (open.has(child)) throw new ImportError('A YAML alias in the document refers to its own ancestor');
      if (!sizes.has(child)) stack.push({ node: child, depth: depth + 1, isDone: false });
    }
  }
}

/** Removes from all texts and keys what cannot be stored. */
function cleanTexts(root: object): void {
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed();
  const seen = new Set<object>([root]);
  for (const node of seen as Set<JsonObject>) {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'object' && value !== null) seen.add(value);
      const name = Array.isArray(node) ? key : clean(key);
      if (name === key && typeof value !== 'string') continue;
      if (name !== key) Reflect.deleteProperty(node, key);
      setOwn(node, name, typeof value === 'string' ? clean(value) : value);
    }
  }
}

/** The number of nodes below a node whose children are already counted. */
function sizeOf(node: object, sizes: ReadonlyMap<object, number>): number {
  let size = 1;
  for (const child of Object.values(node) as unknown[]) {
    if (typeof child === 'object' && child !== null) size += sizes.get(child) ?? 0;
  }
  if (size > MAX_NODES) throw new ImportError('The document is too large once its YAML aliases are expanded');
  return size;
}

/** The presence of the field decides; the version number is not validated. */
function detectKind(root: JsonObject, text: string): DocumentKind {
  const kind = Object.hasOwn(root, 'openapi')
    ? 'openapi3'
    : Object.hasOwn(root, 'swagger')
      ? 'swagger2'
      : null;
  if (kind === null) throw notADocument(text);
  const paths = getOwn(root, 'paths');
  if (isObject(paths) && Object.keys(paths).length > 0) return kind;
  if (isObject(root.webhooks)) {
    throw new ImportError(
      'The document describes only webhooks, which the API calls itself: there is nothing to call',
    );
  }
  throw new ImportError('The document must have a non-empty paths object');
}
