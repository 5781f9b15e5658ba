import type { Tool, ToolListing, ToolMethod } from '@platform/contracts';
import type { PendingDefinition } from '../mcp-client/mcp-methods.store.ts';
import type { BuiltinTool } from '../platform/builtin-tool.ts';
import type { ToolMethodEntity } from './tool-method.entity.ts';
import type { ToolEntity } from './tool.entity.ts';

/** A tool as a list shows it: whether it has a secret, never the secret. */
export function toListing(tool: ToolEntity, methodCount: number): ToolListing {
  const { id, name, description, kind, serverUrl, redirects, idempotency, auth, createdAt, updatedAt } = tool;
  return {
    id,
    name,
    description,
    kind,
    serverUrl,
    redirects,
    idempotency,
    auth,
    methodCount,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function toTool(tool: ToolEntity, methods: ToolMethodEntity[]): Tool {
  return { ...toListing(tool, methods.length), methods: methods.map(toMethod) };
}

export function toMethod(method: ToolMethodEntity): ToolMethod {
  const { name, description, httpMethod, path, serverUrl, inputSchema, outputSchema, bindings } = method;
  const { outputFields, bodyMediaType, encoding, operationKey, acts, imported, retry } = method;
  const { timeoutMs, policy, enabled, deprecated, pending } = method;
  return {
    name,
    description,
    httpMethod,
    path,
    serverUrl,
    inputSchema,
    outputSchema,
    outputFields,
    bindings,
    bodyMediaType,
    encoding,
    operationKey,
    acts,
    imported,
    cache: { ttlSeconds: method.cacheTtlSeconds },
    retry,
    timeoutMs,
    policy,
    enabled,
    deprecated,
    pending: pending && toPending(pending),
  };
}

function toPending({ noticedAt, description, inputSchema, outputSchema, acts }: PendingDefinition) {
  return { noticedAt, description, inputSchema, outputSchema, acts };
}

/** The columns of a method, without what waits for approval. */
export function toColumns({ cache, pending: _, ...method }: ToolMethod): Partial<ToolMethodEntity> {
  return { ...method, cacheTtlSeconds: cache.ttlSeconds };
}

/** A tool of the platform, which is in every space without being stored. */
export function toPlatformTool({ name, description, kind, methods }: BuiltinTool): Tool {
  return {
    id: name,
    name,
    description,
    kind,
    serverUrl: '',
    redirects: 'none',
    idempotency: { header: null, isHonored: false },
    auth: { type: 'none' },
    methodCount: methods.length,
    createdAt: null,
    updatedAt: null,
    methods: methods.map((method) => ({
      name: method.name,
      description: method.description,
      httpMethod: '',
      path: '',
      serverUrl: null,
      inputSchema: method.inputSchema,
      outputSchema: method.outputSchema ?? { type: 'object', properties: {} },
      outputFields: null,
      bindings: [],
      bodyMediaType: null,
      encoding: null,
      operationKey: method.name,
      acts: method.acts,
      imported: null,
      cache: { ttlSeconds: 0 },
      retry: { attempts: 0, backoffMs: 0 },
      timeoutMs: 30_000,
      policy: null,
      enabled: true,
      deprecated: false,
      pending: null,
    })),
  };
}

/** The same in a list. */
export function toPlatformListing(tool: BuiltinTool): ToolListing {
  const { methods: _, ...listing } = toPlatformTool(tool);
  return listing;
}
