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

  it.each(accepted)('%s: bodies have the properties that a full dereference finds', async (file) => {
    const source = { text: read(file), fileName: file };
    const [{ methods }, oracle] = await Promise.all([importDocument(source), dereference(source)]);
    for (const { path, httpMethod, bindings, bodyMediaType } of methods) {
      const operation = (oracle.paths as Record<string, Record<string, JsonObject> | undefined>)[path]?.[
        httpMethod
      ];
      const content = (
        operation?.requestBody as { content?: Record<string, { schema?: JsonObject }> } | undefined
      )?.content;
      const schema = content?.[bodyMediaType ?? '']?.schema;
      const names = bindings
        .filter((binding) => binding.in === 'body' && binding.name !== undefined)
        .map(({ name }) => name);
      if (schema === undefined || names.length === 0) continue;
      expect(names.sort()).toEqual(listProperties(schema).sort());
    }
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

/** The properties of a dereferenced schema and of the members of its allOf. */
function listProperties(schema: JsonObject, seen = new Set<object>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const own = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const members = Array.isArray(schema.allOf) ? (schema.allOf as unknown[]).filter(isObject) : [];
  return [...new Set([...own, ...members.flatMap((member) => listProperties(member, seen))])];
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
