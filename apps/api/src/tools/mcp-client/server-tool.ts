import { createHash } from 'node:crypto';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { canonicalJson, isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { hasValidHeaders, VALUES } from './header-annotations.ts';

/** Both schemas of a method together, as the API accepts them. */
const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_DEPTH = 60;
const MAX_DESCRIPTION = 10_000;
const MAX_NAME = 64;
const MAX_SERVER_NAME = 256;
const HASH_LENGTH = 8;
/** References that lead to each other. */
const MAX_REFERENCES = 50;
const EMPTY_SCHEMA = { type: 'object', properties: {} };
/** Keywords that have schemas by names. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What an import takes from a tool of a server. */
export interface ToolDefinition {
  description: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  /** Whether the tool has side effects, as far as its server says. */
  acts: boolean;
  annotations: JsonObject;
}

/** A tool as a server offers it. */
export interface ServerTool {
  /** As the server calls it. */
  name: string;
  /** Changes with all that the server says of the tool. */
  hash: string;
  definition: ToolDefinition;
  /** What could not be taken as it is. */
  reasons: string[];
}

/** Reads a tool of a list. Returns why it cannot be used, if it cannot. */
export function readServerTool(tool: unknown): ServerTool | string {
  if (!isObject(tool)) return 'A tool that is not an object was skipped';
  const { name, description, title, inputSchema, outputSchema, annotations } = tool;
  if (typeof name !== 'string' || !name.isWellFormed() || !/^[^\p{C}]+$/u.test(name))
    return 'A tool without a name was skipped';
  const label = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  if (name.length > MAX_SERVER_NAME)
    return `${label} was skipped: its name has more than ${MAX_SERVER_NAME} characters`;
  const type = isObject(inputSchema) ? (inputSchema.type ?? 'object') : 'object';
  if (type !== 'object') return `${label} was skipped: its input is not an object`;
  if (!deeperThan(inputSchema, MAX_DEPTH) && !hasValidHeaders(inputSchema))
    return `${label} was skipped: its input has an x-mcp-header that the protocol does not allow`;
  const reasons: string[] = [];
  const text = firstText(description, title).replaceAll('\0', '');
  if (text.length > MAX_DESCRIPTION)
    reasons.push(`Its description was cut after ${MAX_DESCRIPTION} characters`);
  const hints = readHints(annotations);
  const schemas = fitSchemas(inputSchema, outputSchema, reasons);
  return {
    name,
    hash: createHash('sha256')
      .update(
        stableJson([
          name,
          title ?? null,
          description ?? null,
          inputSchema ?? null,
          outputSchema ?? null,
          hints,
        ]),
      )
      .digest('base64url'),
    definition: {
      description: text.slice(0, MAX_DESCRIPTION).toWellFormed(),
      ...schemas,
      acts: hints.readOnlyHint !== true,
      annotations: hints,
    },
    reasons,
  };
}

/** A name for a method: that of the server, as far as it can be one. `taken` is in lower case. */
export function methodName(name: string, taken: ReadonlySet<string>): string {
  const clean = name.replace(/[^A-Za-z0-9_-]+/g, '_');
  // A name that has lost all of its letters tells nothing.
  const isTelling = clean.length <= MAX_NAME && (clean === name || /[A-Za-z0-9]/.test(clean));
  if (isTelling && !taken.has(clean.toLowerCase())) return clean;
  for (let i = 0; ; i++) {
    const hash = createHash('sha256')
      .update(`${name}${i === 0 ? '' : i}`)
      .digest('hex')
      .slice(0, HASH_LENGTH);
    const made = `${clean.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
    if (!taken.has(made.toLowerCase())) return made;
  }
}

function firstText(...texts: unknown[]): string {
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

function readHints(annotations: unknown): JsonObject {
  if (!isObject(annotations)) return {};
  const given = HINTS.filter((hint) => typeof annotations[hint] === 'boolean');
  return Object.fromEntries(given.map((hint) => [hint, annotations[hint]]));
}

/** What is too deep or too large is simplified, the output first. */
function fitSchemas(input: unknown, output: unknown, reasons: string[]) {
  const made = {
    inputSchema: fitDepth(input, 'input', reasons),
    outputSchema:
      output === undefined || output === null ? EMPTY_SCHEMA : fitDepth(output, 'output', reasons),
  };
  const isLarge = () => bytesOf(made.inputSchema) + bytesOf(made.outputSchema) > MAX_SCHEMA_BYTES;
  if (isLarge()) {
    reasons.push(
      `Its schemas have more than ${MAX_SCHEMA_BYTES} bytes together, so that of its output was left out`,
    );
    made.outputSchema = EMPTY_SCHEMA;
  }
  if (isLarge()) {
    reasons.push('The schema of its input is too large: only the names and types of its fields were kept');
    made.inputSchema = outline(made.inputSchema);
  }
  if (isLarge()) made.inputSchema = EMPTY_SCHEMA;
  return made;
}

function fitDepth(schema: unknown, what: string, reasons: string[]): JsonObject {
  if (!isObject(schema)) {
    if (schema !== undefined && schema !== null)
      reasons.push(`The schema of its ${what} is not an object, so it was left out`);
    return EMPTY_SCHEMA;
  }
  if (deeperThan(schema, MAX_DEPTH)) {
    reasons.push(
      `The schema of its ${what} is nested deeper than ${MAX_DEPTH} levels: only the names and types of its fields were kept`,
    );
    return withPorts(outline(schema));
  }
  const changes = { external: false, endless: false };
  // Without its dialect, which older servers name: what differs between the dialects is rewritten.
  const { $schema: _, $id: __, ...own } = schema;
  const copied = copy(own, schema, changes) as JsonObject;
  if (changes.external)
    reasons.push(`The schema of its ${what} refers to other documents, which are not read`);
  if (changes.endless) reasons.push(`The schema of its ${what} refers to itself without end, which was cut`);
  // A schema of 2026 can be anything; what has properties is an object.
  return what === 'input' || copied.type === 'object' || 'properties' in copied ? withPorts(copied) : copied;
}

function withPorts(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const ports = properties.map(([name, port]) => [
    name,
    isObject(port) ? { ...port, isPort: true } : { isPort: true },
  ]);
  return { ...schema, type: 'object', properties: Object.fromEntries(ports) as JsonObject };
}

/** The fields of an object with their types alone, so that no valid call is refused. */
function outline({ title, properties, required, additionalProperties }: JsonObject): JsonObject {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const kept = fields.map(([name, field]) => [
    name,
    isObject(field) && typeof field.type === 'string' ? { type: field.type, isPort: true } : { isPort: true },
  ]);
  return {
    type: 'object',
    ...(typeof title === 'string' && { title }),
    properties: Object.fromEntries(kept) as JsonObject,
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
    ...(typeof additionalProperties === 'boolean' && { additionalProperties }),
  };
}

/** A copy without references that cannot be followed. `isMap`: its keys are names, not keywords. */
function copy(
  value: unknown,
  root: JsonObject,
  changes: { external: boolean; endless: boolean },
  isMap = false,
): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, root, changes));
  if (!isObject(value)) return storable(value);
  const { $ref, ...rest } = value;
  const entries = Object.entries(typeof $ref === 'string' ? rest : value);
  const kept = Object.fromEntries(
    entries.map(([key, item]) => [
      key.replaceAll('\0', ''),
      !isMap && VALUES.includes(key)
        ? storable(item)
        : copy(item, root, changes, !isMap && MAPS.includes(key)),
    ]),
  );
  if (Array.isArray(kept.items)) {
    kept.prefixItems = kept.items;
    delete kept.items;
    if ('additionalItems' in kept) kept.items = kept.additionalItems;
  }
  if (typeof $ref !== 'string') return kept;
  if (!$ref.startsWith('#')) changes.external = true;
  else if (isEndless($ref, root)) changes.endless = true;
  else return { $ref, ...kept };
  return kept;
}

/** A copy of a value. Texts cannot be stored with U+0000. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, item]) => [key.replaceAll('\0', ''), storable(item)]);
  return Object.fromEntries(fields) as JsonObject;
}

/** Whether a reference leads only to references. */
function isEndless(ref: string, root: JsonObject): boolean {
  const seen = new Set<string>();
  for (let at: unknown = ref; typeof at === 'string';) {
    if (seen.has(at) || seen.size === MAX_REFERENCES) return true;
    seen.add(at);
    const target = find(at, root);
    at = isObject(target) ? target.$ref : undefined;
  }
  return false;
}

function find(ref: string, root: JsonObject): unknown {
  let at: unknown = root;
  for (const segment of ref.split('/').slice(1)) {
    const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The order of keys changes no hash, except in values that are too deep to be sorted. */
function stableJson(parts: unknown[]): string {
  return canonicalJson(parts.map((part) => (deeperThan(part, 500) ? JSON.stringify(part) : part)));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
