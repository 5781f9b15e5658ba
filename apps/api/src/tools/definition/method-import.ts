import { isDeepStrictEqual } from 'node:util';
import type { MethodRetry, ToolMethod } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';
import type { ServerTool, ToolDefinition } from '../mcp-client/server-tool.ts';
import { newMethod } from './method-definition.ts';

/** What an import decides about a method. Everything else is the admin's alone. */
const FIELDS = ['description', 'inputSchema', 'outputSchema', 'acts'] as const;
type Field = (typeof FIELDS)[number];
type Definition = Pick<ToolDefinition, Field | 'annotations'>;

/** A new method for a tool of an MCP server. */
export function importMethod(offer: ServerTool, name: string): ToolMethod {
  const { description, inputSchema, outputSchema, acts } = offer.definition;
  // An MCP server has neither verbs nor paths.
  const method = newMethod({
    name,
    httpMethod: 'post',
    path: '/',
    description,
    inputSchema,
    outputSchema,
    acts,
  });
  return {
    ...method,
    httpMethod: '',
    path: '',
    operationKey: offer.name,
    retry: retryOf(offer.definition),
    imported: { name, ...offer.definition },
  };
}

/**
 * A method after the import of a newer definition. A field that only one side has changed since the last import is that side's;
 * `keepEdits` decides about a field that both have changed.
 */
export function mergeMethod(method: ToolMethod, offer: ServerTool, keepEdits: boolean): ToolMethod {
  const base = readBase(method);
  const merged: Partial<Record<Field, unknown>> = {};
  for (const field of FIELDS) {
    const isEdited = base !== null && !isDeepStrictEqual(method[field], base[field]);
    const isChanged = base === null || !isDeepStrictEqual(offer.definition[field], base[field]);
    merged[field] = isEdited && (keepEdits || !isChanged) ? method[field] : offer.definition[field];
  }
  // Nobody has asked that calls be repeated which now have another effect each time.
  const isDefault = base !== null && isDeepStrictEqual(method.retry, retryOf(base));
  return {
    ...method,
    ...(merged as Pick<ToolDefinition, Field>),
    retry: isDefault ? retryOf(offer.definition) : method.retry,
    imported: { name: method.name, ...offer.definition },
  };
}

/** The fields that the server has changed, and those that were edited, since the last import. */
export function compareMethod(
  method: ToolMethod,
  offer: ServerTool | null,
): { changes: string[]; edits: string[] } {
  const base = readBase(method);
  if (base === null) return { changes: [], edits: [] };
  return {
    changes: FIELDS.filter(
      (field) => offer !== null && !isDeepStrictEqual(offer.definition[field], base[field]),
    ),
    edits: FIELDS.filter((field) => !isDeepStrictEqual(method[field], base[field])),
  };
}

/** Calls are made again if they change nothing, or if the server says that they have their effect once. */
function retryOf({ acts, annotations }: Pick<ToolDefinition, 'acts' | 'annotations'>): MethodRetry {
  return { attempts: !acts || annotations.idempotentHint === true ? 2 : 0, backoffMs: 500 };
}

function readBase({ imported }: ToolMethod): Definition | null {
  if (!isObject(imported)) return null;
  const { description, inputSchema, outputSchema, acts, annotations: hints } = imported;
  const annotations = isObject(hints) ? hints : {};
  const isWhole =
    typeof description === 'string' &&
    isObject(inputSchema) &&
    isObject(outputSchema) &&
    typeof acts === 'boolean';
  return isWhole ? { description, inputSchema, outputSchema, acts, annotations } : null;
}
