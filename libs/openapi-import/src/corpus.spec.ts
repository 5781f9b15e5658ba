import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { importDocument } from './import-document.ts';
import { isObject, type JsonObject } from './json.ts';
import { parseDocument } from './parse-document.ts';

/** Real documents of other parties. They are not part of the repository. */
const folder =
  process.env.OPENAPI_CORPUS ??
  join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/openapi-corpus');
const files = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => /\.(json|ya?ml)$/.test(name))
      .sort()
  : [];

if (files.length === 0)
  console.warn('The documents of the corpus are not tested: set OPENAPI_CORPUS to their folder');

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const [accepted, rejected] = [
  files.filter((file) => !file.startsWith('neg-')),
  files.filter((file) => file.startsWith('neg-')),
];

/** Describes what can be checked only with the documents. */
const describeCorpus = files.length === 0 ? describe.skip : describe;

describeCorpus('the corpus', () => {
  it('is imported with this result', async () => {
    const lines = await Promise.all(
      accepted.map(async (file) => {
        const { kind, methods, report, unresolvedRefs } = await importDocument({
          text: read(file),
          fileName: file,
        });
        const count = (fidelity: string) => report.filter((entry) => entry.fidelity === fidelity).length;
        return `${file}: ${kind}, ${methods.length} methods, ${count('simplified')} simplified, ${count('skipped')} skipped, ${unresolvedRefs.length} unresolved`;
      }),
    );
    expect(lines).toMatchSnapshot();
  });

  it.each(rejected)('rejects %s', async (file) => {
    await expect(importDocument({ text: read(file), fileName: file })).rejects.toThrow('only webhooks');
  });

  it.each(accepted)('%s: every schema is valid and has no references, every name is valid', async (file) => {
    const { methods } = await importDocument({ text: read(file), fileName: file });
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    for (const { name, inputSchema, outputSchema, bindings } of methods) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(Object.keys(inputSchema.properties as object).sort()).toEqual(
        bindings.map(({ port }) => port).sort(),
      );
      expect(listReferences([inputSchema, outputSchema])).toEqual([]);
      for (const schema of [inputSchema, outputSchema]) expect(ajv.validateSchema(schema)).toBe(true);
    }
    expect(new Set(methods.map(({ name }) => name.toLowerCase())).size).toBe(methods.length);
  });

  it('has the inputs that an independent traversal of the dereferenced document finds', async () => {
    const differences: string[] = [];
    for (const file of accepted) {
      const source = { text: read(file), fileName: file };
      const [{ methods, report }, oracle] = await Promise.all([importDocument(source), dereference(source)]);
      const isSwagger = oracle.swagger !== undefined;
      for (const method of methods) {
        const item = (oracle.paths as Record<string, JsonObject>)[method.path] ?? {};
        const operation = item[method.httpMethod] as JsonObject;
        const expected = new Map([
          ...parametersOf(item, operation),
          ...bodyOf(operation, method.bodyMediaType, isSwagger),
        ]);
        const required = new Set(method.inputSchema.required as string[] | undefined);
        const found = new Map(
          method.bindings.map(({ in: place, name, port }) => [
            `${place} ${place === 'header' ? String(name).toLowerCase() : (name ?? '*')}`,
            required.has(port),
          ]),
        );
        const reasons =
          report.find(({ operationKey }) => operationKey === method.operationKey)?.reasons ?? [];
        for (const key of new Set([...expected.keys(), ...found.keys()]))
          if (expected.get(key) !== found.get(key))
            differences.push(
              `${file} ${method.operationKey} ${key}: ${String(found.get(key))}, not ${String(expected.get(key))} (${reasons[0]?.reason ?? 'no reason'})`,
            );
      }
    }
    expect(differences).toEqual([]);
  });

  it('accepts every example of a request that the documents give', async () => {
    const refused: string[] = [];
    let examples = 0;
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    for (const file of accepted) {
      const source = { text: read(file), fileName: file };
      const [{ methods }, oracle] = await Promise.all([importDocument(source), dereference(source)]);
      for (const method of methods) {
        const operation = (oracle.paths as Record<string, Record<string, JsonObject>>)[method.path]?.[
          method.httpMethod
        ];
        for (const example of bodyExamplesOf(operation, method.bodyMediaType)) {
          examples++;
          const input: JsonObject = {};
          for (const { in: place, name, port } of method.bindings) {
            if (place !== 'body') continue;
            if (name === undefined) input[port] = example;
            else if (isObject(example) && Object.hasOwn(example, name)) input[port] = example[name];
          }
          const places = new Map(method.bindings.map(({ port, in: place }) => [port, place]));
          const { required = [], ...schema } = method.inputSchema;
          const needed = (required as string[]).filter((port) => places.get(port) === 'body');
          const validate = ajv.compile({ ...schema, required: needed });
          const sent =
            isObject(example) &&
            method.bindings.some(({ name, in: place }) => place === 'body' && name !== undefined);
          const unknown = sent
            ? Object.keys(example).filter(
                (key) => !method.bindings.some(({ in: place, name }) => place === 'body' && name === key),
              )
            : [];
          if (!validate(input) || unknown.length > 0)
            refused.push(
              `${file} ${method.operationKey}: ${ajv.errorsText(validate.errors)} ${unknown.join()}`,
            );
        }
      }
    }
    expect({ examples, refused }).toEqual({ examples: 17, refused: [] });
  });

  it.each(accepted)('%s: authentication makes no difference', async (file) => {
    const text = read(file);
    const { root } = parseDocument({ text });
    for (const holder of [
      root,
      ...Object.values(root.paths as JsonObject).flatMap((item) =>
        isObject(item) ? Object.values(item) : [],
      ),
    ]) {
      if (isObject(holder)) delete holder.security;
    }
    delete root.securityDefinitions;
    if (isObject(root.components)) delete root.components.securitySchemes;
    expect(await importDocument({ text: JSON.stringify(root) })).toEqual(await importDocument({ text }));
  });
});

async function dereference(source: { text: string }): Promise<JsonObject> {
  const { root, kind } = parseDocument(source);
  const version = kind === 'openapi3' ? { openapi: '3.1.0' } : { swagger: '2.0' };
  const copy = { ...root, ...version, info: { title: 'Document', version: '1' } };
  const parser = new SwaggerParser();
  try {
    await parser.dereference(copy as unknown as Parameters<SwaggerParser['dereference']>[0], {
      resolve: { external: false },
      continueOnError: true,
    });
  } catch {
    // Broken references are reported, and everything else is resolved.
  }
  return parser.api as unknown as JsonObject;
}

/** The parameters of an operation with whether they are required, by their places and names. */
function parametersOf(item: JsonObject, operation: JsonObject): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const list of [item.parameters, operation.parameters]) {
    for (const one of (Array.isArray(list) ? list : []) as JsonObject[]) {
      const { name, in: place, required } = one;
      if (place === 'body') continue;
      const key = `${place === 'formData' ? 'body' : String(place)} ${place === 'header' ? String(name).toLowerCase() : String(name)}`;
      if (['header accept', 'header content-type', 'header authorization'].includes(key)) continue;
      found.set(key, place === 'path' || required === true);
    }
  }
  return found;
}

/** The fields of a body with whether they are required; `*` if it is one. */
function bodyOf(operation: JsonObject, mediaType: string | null, isSwagger: boolean): Map<string, boolean> {
  const parameters = (Array.isArray(operation.parameters) ? operation.parameters : []) as JsonObject[];
  const body = isSwagger ? parameters.find((one) => one.in === 'body') : operation.requestBody;
  if (!isObject(body) || mediaType === null) return new Map();
  const media = isSwagger ? body : (body.content as Record<string, JsonObject>)[mediaType];
  const members = membersOf(media?.schema);
  const isChoice = members.some((one) =>
    ['oneOf', 'anyOf', 'not', 'patternProperties'].some((key) => key in one),
  );
  const isOpen = members.some(({ additionalProperties: more }) => more === true || isObject(more));
  const properties = members.flatMap((one) =>
    isObject(one.properties) ? Object.entries(one.properties) : [],
  );
  const writable = properties.filter(([, one]) => !membersOf(one).some(({ readOnly }) => readOnly === true));
  const isRequired = body.required === true;
  if (isChoice || isOpen || writable.length === 0) return new Map([['body *', isRequired]]);
  const required = members.flatMap((one) => (Array.isArray(one.required) ? (one.required as unknown[]) : []));
  // A field that is required without being declared accepts anything.
  const declared = new Set(properties.map(([name]) => name));
  const names = [
    ...writable.map(([name]) => name),
    ...required.map(String).filter((name) => !declared.has(name)),
  ];
  return new Map(names.map((name) => [`body ${name}`, isRequired && required.includes(name)]));
}

/** A dereferenced schema and the members of its allOf. */
function membersOf(schema: unknown, seen = new Set<object>()): JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const all = Array.isArray(schema.allOf) ? (schema.allOf as unknown[]) : [];
  return [schema, ...all.flatMap((member) => membersOf(member, seen))];
}

function bodyExamplesOf(operation: JsonObject | undefined, mediaType: string | null): unknown[] {
  const body = operation?.requestBody as { content?: Record<string, JsonObject> } | undefined;
  const media = mediaType === null ? undefined : body?.content?.[mediaType];
  if (media === undefined) return [];
  const named = isObject(media.examples) ? Object.values(media.examples) : [];
  return [
    ...('example' in media ? [media.example] : []),
    ...named.filter((one) => isObject(one) && 'value' in one).map((one) => (one as JsonObject).value),
    ...membersOf(media.schema).flatMap((one) => ('example' in one ? [one.example] : [])),
  ];
}

function listReferences(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(listReferences);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === 'string' ? [value.$ref] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, child]) =>
      key === 'examples' || key === 'default' || key === 'const' ? [] : listReferences(child),
    ),
  ];
}
