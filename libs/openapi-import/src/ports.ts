import type { MethodBinding } from '@platform/contracts';
import { isStructured, type Body } from './bodies.ts';
import { getOwn, isObject, setOwn, type JsonObject } from './json.ts';
import { countCharacters } from './measure.ts';
import { MAX_NAME, MAX_PORTS, type Parameter } from './parameters.ts';
import type { SchemaConverter } from './schemas/schema-converter.ts';
import { emptySchema } from './schemas/simplify.ts';
import { withoutDeep } from './schemas/write-schema.ts';
import type { PortSchema } from './types.ts';

/** Names in `dependentRequired`, each of which is written once per port of the body. */
const MAX_DEPENDENCIES = 500;
/** Keywords of a body that the ports of its properties express. */
const SPLITTABLE = [
  'type',
  'title',
  'description',
  'properties',
  'required',
  'dependentRequired',
  'minProperties',
  'maxProperties',
  'additionalProperties',
  'default',
  'examples',
  'discriminator',
  'deprecated',
  'readOnly',
  'writeOnly',
];

/** The ports of the input: one per parameter and property of the body, with their places in the request. */
export class Ports {
  readonly bindings: MethodBinding[] = [];
  private readonly properties: JsonObject = {};
  private readonly required: string[] = [];
  /** Keywords of the input besides its properties. */
  private rules: JsonObject = {};
  /** What the ports add to the schemas, in characters of JSON, rather too large than too small. */
  characters = 100;

  /** `onLost`: takes a sentence about what the ports cannot express. */
  constructor(
    private readonly marked: MarkedSchemas,
    private readonly onLost: (pointer: string, reason: string) => void,
  ) {}

  addParameter(parameter: Parameter, converter: SchemaConverter): void {
    const { name, in: location, description, schema, pointer, required, deprecated, binding } = parameter;
    if (location === 'formData') return;
    if (this.bindings.length >= MAX_PORTS) {
      this.onLost(pointer, `The operation has more than ${MAX_PORTS} parameters; this one is omitted`);
      return;
    }
    const converted = converter.convert(schema, pointer);
    const described = isObject(converted)
      ? {
          ...converted,
          ...(description !== '' && { description }),
          ...(deprecated && { deprecated: true }),
        }
      : converted;
    const port = this.add(name, location, withExamples(described, parameter.examples), required);
    this.bindings.push({ port, in: location, name, ...binding });
  }

  /** An object becomes one port per property; any other body is one port. */
  addBody(body: Body, converter: SchemaConverter): void {
    const schema = this.toText(body, converter.convert(body.schema, body.pointer));
    const names = isObject(schema) ? this.listNames(schema, body.required) : null;
    if (names === null || !isObject(schema)) {
      const described =
        isObject(schema) && body.description !== '' ? { description: body.description, ...schema } : schema;
      const port = this.add('body', 'body', withExamples(described, body.examples), body.required);
      this.bindings.push({ port, in: 'body' });
      return;
    }
    const { type, title: _, description, properties, required = [], dependentRequired } = schema;
    if (Array.isArray(type)) this.onLost(body.pointer, 'The body can also be null, which cannot be sent');
    const others = [...this.required];
    for (const name of names) {
      // Ports of the body keep their names, and others with the same name get a suffix.
      if (Object.hasOwn(this.properties, name)) this.rename(name);
      const property = withExamples(getOwn(properties, name) ?? {}, examplesOf(body, schema, name));
      this.add(name, 'body', property, body.required && (required as unknown[]).includes(name));
      this.bindings.push({ port: name, in: 'body', name, ...body.bindings?.get(name) });
    }
    const text = body.description || description;
    this.rules = {
      ...(typeof text === 'string' && { description: text }),
      ...countsOf(schema, others.length),
      ...dependenciesOf(names, required as string[], dependentRequired, body.required),
    };
    this.characters += countCharacters(this.rules);
  }

  /** The input schema. */
  schema(): PortSchema {
    const { description, ...rules } = this.rules;
    return {
      type: 'object',
      ...(typeof description === 'string' && { description }),
      properties: this.properties,
      ...(this.required.length > 0 && { required: this.required }),
      ...rules,
    };
  }

  /** A body that can be built neither as JSON nor as a form is a text. */
  private toText({ mediaType, pointer }: Body, schema: unknown): unknown {
    const types = [getOwn(schema, 'type')].flat();
    if (isStructured(mediaType) || !(types.includes('object') || types.includes('array'))) return schema;
    this.onLost(pointer, `A body of ${mediaType} cannot be built from an object, so it is a text`);
    const description = getOwn(schema, 'description');
    return { type: 'string', ...(typeof description === 'string' && { description }) };
  }

  /**
   * The properties of a body that become ports; null if it stays one port, because ports could not say all about it: a
   * choice between shapes, fields of any name, or limits that parameters would change.
   */
  private listNames(schema: JsonObject, isRequired: boolean): string[] | null {
    const { type, properties, required, additionalProperties, minProperties, maxProperties } = schema;
    const types = [type].flat();
    if (!types.includes('object') || types.some((one) => one !== 'object' && one !== 'null')) return null;
    if (!Object.keys(schema).every((keyword) => SPLITTABLE.includes(keyword))) return null;
    if (additionalProperties === true || isObject(additionalProperties)) return null;
    const names = new Set(isObject(properties) ? Object.keys(properties) : []);
    if (names.size === 0) return null;
    const needed = Array.isArray(required) ? (required as string[]) : [];
    if (additionalProperties !== false) for (const name of needed) names.add(name);
    const hasCounts = minProperties !== undefined || maxProperties !== undefined;
    const areOthersRequired = this.required.length === this.bindings.length;
    if (hasCounts && !(isRequired && areOthersRequired)) return null;
    if (!isRequired && names.size * needed.length > MAX_DEPENDENCIES) return null;
    const isTooMuch = this.bindings.length + names.size > MAX_PORTS;
    return isTooMuch || [...names].some((name) => name.length > MAX_NAME) ? null : [...names];
  }

  private add(name: string, location: string, schema: unknown, required: boolean): string {
    // The name can also be required; the description and the examples are those of the parameter.
    const { description, examples } = isObject(schema) ? schema : {};
    this.characters +=
      4 * countCharacters(name) + 50 + countCharacters(description ?? '') + countCharacters(examples ?? '');
    const port = Object.hasOwn(this.properties, name) ? this.freeName(name, location) : name;
    setOwn(this.properties, port, this.marked.port(schema));
    if (required) this.required.push(port);
    return port;
  }

  /** A name for a port beside another one with the same name. A document can have named a parameter like that, too. */
  private freeName(name: string, location: string): string {
    let free = `${name}__${location}`;
    for (let i = 2; Object.hasOwn(this.properties, free); i++) free = `${name}__${location}_${i}`;
    return free;
  }

  private rename(port: string): void {
    const binding = this.bindings.find((one) => one.port === port);
    if (binding === undefined || binding.in === 'body') return;
    const renamed = this.freeName(port, binding.in);
    binding.port = renamed;
    setOwn(this.properties, renamed, this.properties[port]);
    Reflect.deleteProperty(this.properties, port);
    const i = this.required.indexOf(port);
    if (i >= 0) this.required[i] = renamed;
  }
}

/** Schemas with the marks of ports. Those of one document: what operations share is marked, measured, and cut once. */
export class MarkedSchemas {
  private readonly ports = new WeakMap<JsonObject, PortSchema>();
  private readonly outputs = new WeakMap<JsonObject, PortSchema>();

  port(schema: unknown): PortSchema {
    // Boolean schemas accept everything or nothing.
    if (!isObject(schema)) return schema === false ? { not: {}, isPort: true } : { isPort: true };
    let marked = this.ports.get(schema);
    if (marked === undefined) this.ports.set(schema, (marked = { ...schema, isPort: true }));
    return marked;
  }

  /** The properties of an output are its ports. */
  output(schema: unknown): PortSchema {
    if (!isObject(schema)) return emptySchema();
    const properties = getOwn(schema, 'properties');
    if (!isObject(properties)) return schema;
    let marked = this.outputs.get(schema);
    if (marked === undefined) {
      const ports: JsonObject = {};
      for (const [name, property] of Object.entries(properties)) setOwn(ports, name, this.port(property));
      this.outputs.set(schema, (marked = { ...schema, properties: ports }));
    }
    return marked;
  }
}

/** Examples of a parameter or a body are those of its schema, unless that has its own. */
function withExamples(schema: unknown, examples: readonly unknown[]): unknown {
  const kept = withoutDeep(examples);
  if (!isObject(schema) || kept.length === 0 || schema.examples !== undefined) return schema;
  return { ...schema, examples: kept };
}

/** The values of one property in the examples of the body. */
function examplesOf({ examples }: Body, schema: JsonObject, name: string): unknown[] {
  const own = Array.isArray(schema.examples) ? (schema.examples as unknown[]) : [];
  const values = [...examples, ...own].filter((one) => isObject(one) && Object.hasOwn(one, name));
  return values.map((one) => getOwn(one, name));
}

/** How many fields there are: with those of the parameters, all of which are required. */
function countsOf({ minProperties, maxProperties }: JsonObject, others: number): JsonObject {
  return {
    ...(typeof minProperties === 'number' && { minProperties: minProperties + others }),
    ...(typeof maxProperties === 'number' && { maxProperties: maxProperties + others }),
  };
}

/** A body that may be left out must be complete once one of its fields is given. */
function dependenciesOf(
  names: readonly string[],
  required: readonly string[],
  declared: unknown,
  isRequired: boolean,
): JsonObject {
  const dependent: JsonObject = {};
  for (const name of names) {
    const own = getOwn(declared, name);
    const needed = new Set([
      ...(Array.isArray(own) ? (own as string[]) : []),
      ...(isRequired ? [] : required),
    ]);
    // A field that the body consists of needs itself: it says that the body is not sent without it.
    const isOnlyField = !isRequired && names.length === 1;
    if (!isOnlyField) needed.delete(name);
    if (needed.size > 0) setOwn(dependent, name, [...needed]);
  }
  return Object.keys(dependent).length > 0 ? { dependentRequired: dependent } : {};
}
