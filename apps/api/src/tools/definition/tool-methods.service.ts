import { Injectable } from '@nestjs/common';
import type {
  ChangeToolMethodsRequest,
  Tool,
  ToolMethod,
  ToolMethodRequest,
  UpdateToolMethodRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, invalid, invalidFor, notFound } from '../../infra/errors/app-error.ts';
import {
  changeMethod,
  checkMethodChange,
  MAX_METHODS,
  mcpChangeProblems,
  newMethod,
  schemaSizeProblem,
} from './method-definition.ts';
import { toColumns, toMethod, toTool } from './tool-views.ts';
import type { ToolMethodEntity } from './tool-method.entity.ts';
import type { ToolEntity } from './tool.entity.ts';
import { assertStored, auditTool } from './tools.service.ts';
import {
  deleteMethods,
  getMethod,
  insertMethods,
  listMethods,
  lockTool,
  measureMethods,
  updateMethod,
  updateTool,
} from './tools.store.ts';

/** The methods of one tool together: they are read and returned together. */
const MAX_BYTES = 20 * 1024 * 1024;

/** Adds, changes, and deletes methods of stored tools. */
@Injectable()
export class ToolMethodsService {
  constructor(private readonly database: Database) {}

  async add(call: AuditedCall, toolId: string, requests: ToolMethodRequest[]): Promise<Tool> {
    assertStored(toolId);
    const methods = requests.map(newMethod);
    assertNone(methods.flatMap((method, i) => schemaSizeProblem(method, `methods[${i}].`)));
    return this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, toolId);
      assertOwnMethods(tool, methods.length);
      const { names } = await measureMethods(tx, tool);
      assertNamesAreFree(methods, new Set(names), 'methods');
      const total = names.length + methods.length;
      if (total > MAX_METHODS) throw tooMany(total);
      await insertMethods(tx, tool, methods.map(toColumns));
      await assertSize(tx, tool);
      const changed = await updateTool(tx, tool, {});
      await auditTool(tx, call, 'tool.add-methods', tool, { methods: methods.length });
      return toTool(changed, await listMethods(tx, tool));
    });
  }

  /** Adds, changes, and deletes methods together, unless the tool has changed since the caller read it. */
  async change(call: AuditedCall, toolId: string, request: ChangeToolMethodsRequest): Promise<Tool> {
    assertStored(toolId);
    const added = (request.add ?? []).map(newMethod);
    const [updates, removed] = [request.update ?? [], request.remove ?? []];
    assertNone(added.flatMap((method, i) => schemaSizeProblem(method, `add[${i}].`)));
    return this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, toolId);
      if (tool.updatedAt.toISOString() !== request.updatedAt) throw changedMeanwhile(tool);
      assertOwnMethods(tool, added.length);
      const methods = new Map((await listMethods(tx, tool)).map((method) => [method.name, method]));
      const take = (name: string): ToolMethodEntity => {
        const method = methods.get(name);
        // A name that is given twice is taken only once.
        if (method === undefined) throw notFound(`The tool ${tool.name} has no method ${name}`);
        methods.delete(name);
        return method;
      };
      await deleteMethods(tx, tool, removed.map(take));
      const kept = [...methods.values(), ...added];
      if (kept.length > MAX_METHODS) throw tooMany(kept.length);
      const names = new Set([...methods.keys()].map((name) => name.toLowerCase()));
      assertNamesAreFree(added, names, 'add');
      for (const [i, { name, change }] of updates.entries()) {
        const current = take(name);
        if (tool.kind === 'mcp') assertNone(mcpChangeProblems(change, `update[${i}].change.`));
        const next = changeMethod(toMethod(current), change);
        assertNone(schemaSizeProblem(next, `update[${i}].change.`));
        await updateMethod(tx, current, toColumns(next));
      }
      await insertMethods(tx, tool, added.map(toColumns));
      await assertSize(tx, tool);
      const changed = await updateTool(tx, tool, {});
      const counts = { added: added.length, updated: updates.length, removed: removed.length };
      await auditTool(tx, call, 'tool.change-methods', tool, counts);
      return toTool(changed, await listMethods(tx, tool));
    });
  }

  /** Only the fields that the change contains. */
  async update(call: AuditedCall, toolId: string, name: string, body: object): Promise<ToolMethod> {
    assertStored(toolId);
    assertNone(checkMethodChange(body));
    const change = body as UpdateToolMethodRequest;
    return this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, toolId);
      const current = await getMethod(tx, tool, name);
      if (tool.kind === 'mcp') assertNone(mcpChangeProblems(change, ''));
      const next = changeMethod(toMethod(current), change);
      assertNone(schemaSizeProblem(next, ''));
      const isRenamed = next.name.toLowerCase() !== name.toLowerCase();
      if (isRenamed && (await measureMethods(tx, tool)).names.includes(next.name.toLowerCase())) {
        throw nameTaken('name', next.name);
      }
      const updated = await updateMethod(tx, current, toColumns(next));
      await assertSize(tx, tool);
      await updateTool(tx, tool, {});
      await auditTool(tx, call, 'tool.update-method', tool, { method: name, fields: Object.keys(change) });
      return toMethod(updated);
    });
  }

  async delete(call: AuditedCall, toolId: string, name: string): Promise<void> {
    assertStored(toolId);
    await this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, toolId);
      await deleteMethods(tx, tool, [await getMethod(tx, tool, name)]);
      await updateTool(tx, tool, {});
      await auditTool(tx, call, 'tool.delete-method', tool, { method: name });
    });
  }
}

function assertOwnMethods({ kind, name }: ToolEntity, added: number): void {
  if (kind === 'mcp' && added > 0)
    throw conflict(`The tool ${name} is an MCP server: its methods are imported from it`);
}

export async function assertSize(tx: EntityManager, tool: ToolEntity): Promise<void> {
  const { bytes } = await measureMethods(tx, tool);
  if (bytes > MAX_BYTES) throw invalid(`The methods of a tool must have at most ${MAX_BYTES} bytes together`);
}

function assertNone(problems: string[]): void {
  if (problems.length > 0) throw invalidFor(problems);
}

export const tooMany = (total: number) =>
  invalid(`methods must be at most ${MAX_METHODS} for one tool, not ${total}`);

export const changedMeanwhile = ({ name }: ToolEntity) =>
  conflict(`The tool ${name} was changed in the meantime: load it again, and compare again`);

/** `names` are in lower case. */
function assertNamesAreFree(
  added: readonly { name: string }[],
  names: ReadonlySet<string>,
  path: string,
): void {
  for (const [i, { name }] of added.entries())
    if (names.has(name.toLowerCase())) throw nameTaken(`${path}[${i}].name`, name);
}

export const nameTaken = (path: string, name: string) =>
  conflict(`${path} must be unique: the tool already has a method named ${name} (case is ignored)`);
