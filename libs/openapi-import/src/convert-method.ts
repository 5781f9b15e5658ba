import type { MethodBinding } from '@platform/contracts';
import { readRequestBody, readResponseBody, type Body } from './bodies.ts';
import { getOwn, getText, isObject, setOwn, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';
import { readParameters, type Parameter } from './parameters.ts';
import type { References } from './references.ts';
import { emptySchema, SchemaConverter, type FinishedSchemas } from './schemas.ts';
import { findOverridingServer } from './servers.ts';
import type { DocumentKind, ImportedMethod, PortSchema, ReportEntry, ReportReason } from './types.ts';

const MAX_REASONS = 20;
/** Verbs without side effects. */
const SAFE_VERBS = ['get', 'head', 'options', 'trace', 'query'];
/** Characters per token of JSON, on average. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_DESCRIPTION = 2_000;

/** What the conversion of an operation needs to know of its document. */
export interface DocumentContext {
  kind: DocumentKind;
  root: JsonObject;
  references: References;
  documentUrl: string | undefined;
  /** Schemas that several operations use. */
  finished: FinishedSchemas;
  /** Their lengths as JSON. */
  lengths: WeakMap<object, number>;
}

/** Converts one operation to a method. Throws if the operation cannot be converted. */
export function convertOperation(
  document: DocumentContext,
  { operation, pathItem, path, pointer, ...summary }: Operation,
): { method: ImportedMethod; report: ReportEntry } {
  const { kind, root, references, documentUrl } = document;
  const reasons: ReportReason[] = [];
  const addReason = (reason: ReportReason) => {
    if (reasons.length < MAX_REASONS) reasons.push(reason);
  };
  const converter = new SchemaConverter(references, addReason, document.finished);

  const list = readParameters(
    path,
    [
      {
        list: getOwn(pathItem, 'parameters'),
        pointer: `${pointer.slice(0, pointer.lastIndexOf('/'))}/parameters`,
      },
      { list: getOwn(operation, 'parameters'), pointer: `${pointer}/parameters` },
    ],
    kind,
    references,
    (place, reason) => addReason({ pointer: place, reason }),
  );
  const body = readRequestBody(operation, root, list, kind, references, pointer);
  const ports = new Ports();
  for (const parameter of list.parameters)
    if (parameter.in !== 'formData') ports.addParameter(parameter, converter);
  if (body !== null) ports.addBody(body, converter);

  const response = readResponseBody(operation, root, kind, references, pointer);
  if (!isObject(getOwn(operation, 'responses'))) {
    addReason({ pointer, reason: 'The operation declares no responses, so the output is unknown' });
  }
  const output =
    response === null ? emptySchema() : toOutput(converter.convert(response.schema, response.pointer));
  const serverUrl = kind === 'openapi3' ? findOverridingServer(operation, pathItem, documentUrl) : undefined;

  const method: ImportedMethod = {
    name: summary.name,
    description: describe(operation, pathItem),
    httpMethod: summary.httpMethod,
    path,
    ...(serverUrl !== undefined && { serverUrl }),
    inputSchema: ports.schema(),
    outputSchema: output,
    bindings: ports.bindings,
    bodyMediaType: body?.mediaType ?? null,
    ...(body?.encoding && { encoding: body.encoding }),
    operationKey: summary.operationKey,
    acts: !SAFE_VERBS.includes(summary.httpMethod.toLowerCase()),
    deprecated: summary.deprecated,
    tags: summary.tags,
  };
  return {
    method,
    report: {
      operationKey: summary.operationKey,
      fidelity: reasons.length === 0 ? 'exact' : 'simplified',
      reasons,
      promptTokens: estimateTokens(method, document.lengths),
    },
  };
}

/** The ports of the input: one per parameter and property of the body, with their places in the request. */
class Ports {
  readonly bindings: MethodBinding[] = [];
  private readonly properties: JsonObject = {};
  private readonly required: string[] = [];

  addParameter(parameter: Parameter, converter: SchemaConverter): void {
    const { name, in: location, description, schema, pointer, required, deprecated, binding } = parameter;
    if (location === 'formData') return;
    const converted = converter.convert(schema, pointer);
    const described = isObject(converted)
      ? {
          ...converted,
          ...(description !== '' && { description }),
          ...(deprecated && { deprecated: true }),
        }
      : converted;
    const port = this.add(name, location, described, required);
    this.bindings.push({ port, in: location, name, ...binding });
  }

  /** An object becomes one port per property; any other body is one port. */
  addBody(body: Body, converter: SchemaConverter): void {
    const schema = converter.convert(body.schema, body.pointer);
    const properties = getOwn(schema, 'properties');
    if (
      !isObject(schema) ||
      !canSplit(schema) ||
      !isObject(properties) ||
      Object.keys(properties).length === 0
    ) {
      const described =
        isObject(schema) && body.description !== '' && schema.description === undefined
          ? { ...schema, description: body.description }
          : schema;
      const port = this.add('body', 'body', described, body.required);
      this.bindings.push({ port, in: 'body' });
      return;
    }
    const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
    // Ports of the body keep their names, and others with the same name get a suffix.
    for (const [name, property] of Object.entries(properties)) {
      if (Object.hasOwn(this.properties, name)) this.rename(name);
      this.add(name, 'body', property, body.required && required.includes(name));
      this.bindings.push({ port: name, in: 'body', name, ...body.bindings?.get(name) });
    }
  }

  schema(): PortSchema {
    return {
      type: 'object',
      properties: this.properties,
      ...(this.required.length > 0 && { required: this.required }),
    };
  }

  private add(name: string, location: string, schema: unknown, required: boolean): string {
    let port = name;
    if (Object.hasOwn(this.properties, port)) port = `${name}__${location}`;
    setOwn(this.properties, port, toPort(schema));
    if (required) this.required.push(port);
    return port;
  }

  private rename(port: string): void {
    const binding = this.bindings.find((one) => one.port === port);
    if (binding === undefined || binding.in === 'body') return;
    const renamed = `${port}__${binding.in}`;
    binding.port = renamed;
    setOwn(this.properties, renamed, this.properties[port]);
    Reflect.deleteProperty(this.properties, port);
    const i = this.required.indexOf(port);
    if (i >= 0) this.required[i] = renamed;
  }
}

/** Whether the properties of an object say all about it: a choice between shapes cannot be split into ports. */
function canSplit(schema: JsonObject): boolean {
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type];
  return (
    types.includes('object') &&
    !['oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties'].some((key) =>
      Object.hasOwn(schema, key),
    ) &&
    !isObject(schema.additionalProperties)
  );
}

function toPort(schema: unknown): PortSchema {
  if (isObject(schema)) return { ...schema, isPort: true };
  // Boolean schemas accept everything or nothing.
  return schema === false ? { not: {}, isPort: true } : { isPort: true };
}

function toOutput(schema: unknown): PortSchema {
  if (!isObject(schema)) return emptySchema();
  const properties = getOwn(schema, 'properties');
  if (!isObject(properties)) return schema;
  const ports: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) setOwn(ports, name, toPort(property));
  return { ...schema, properties: ports };
}

function describe(operation: JsonObject, pathItem: JsonObject): string {
  const summary = getText(operation, 'summary') || getText(pathItem, 'summary');
  const description = getText(operation, 'description') || getText(pathItem, 'description');
  const isRepeated = description.startsWith(summary);
  const text = isRepeated ? description : [summary, description].filter((part) => part !== '').join('\n\n');
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
}

function estimateTokens(
  { name, description, inputSchema }: ImportedMethod,
  lengths: WeakMap<object, number>,
): number {
  const length = name.length + description.length + estimateLength(inputSchema, lengths);
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}

/** The length as JSON, without escapes. Objects that several schemas share are measured once. */
function estimateLength(value: unknown, lengths: WeakMap<object, number>): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (Array.isArray(value)) {
    return value.reduce<number>((length, child) => length + estimateLength(child, lengths) + 1, 2);
  }
  const known = lengths.get(value);
  if (known !== undefined) return known;
  let length = 2;
  for (const key in value) length += estimateLength((value as JsonObject)[key], lengths) + key.length + 4;
  lengths.set(value, length);
  return length;
}
