import { createHash } from 'node:crypto';
import { isObject } from '../../infra/runtime/json.ts';
import type { OfferedName } from '../../tools/definition/tool-directory.service.ts';

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** The name of a tool as part of the names of its methods. */
function toolNamePart(toolName: string): string {
  return toolName.replace(/[^A-Za-z0-9_-]+/g, '_');
}

/** The name under which a model calls a method: `<tool>__<method>`, at most 64 of `[A-Za-z0-9_-]`. */
function modelToolName(tool: string, method: string): string {
  const name = `${tool}__${method}`;
  const clean = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (clean.length <= MAX_LENGTH && clean === name) return clean;
  // Two names that are alike once cleaned or cut must stay apart.
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${clean.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** Distinguishes methods whose names look alike to the model by the ids of their tools. */
export function nameMethods(methods: readonly OfferedName[]): string[] {
  const names = methods.map(({ toolName, name }) => modelToolName(toolNamePart(toolName), name));
  const count = Map.groupBy(names, (name) => name);
  return methods.map(({ toolId, name }, i) => {
    const own = names[i] ?? '';
    return count.get(own)?.length === 1 ? own : modelToolName(toolId, name);
  });
}

/** The schema without what only the console needs. */
export function withoutPorts(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const plain = Object.entries(properties).map(([name, property]) => {
    if (!isObject(property)) return [name, property] as const;
    const { isPort: _, ...rest } = property;
    return [name, rest] as const;
  });
  return { ...schema, properties: Object.fromEntries(plain) };
}
