import { Injectable } from '@nestjs/common';
import type { ChosenOffer, ImportToolRequest, ToolImport, ToolOffer } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, notFound } from '../../infra/errors/app-error.ts';
import { McpListingService, type Offered } from '../mcp-client/mcp-listing.service.ts';
import { McpWatchService } from '../mcp-client/mcp-watch.service.ts';
import { methodName, type ServerTool } from '../mcp-client/server-tool.ts';
import { MAX_METHODS } from './method-definition.ts';
import { compareMethod, importMethod, mergeMethod } from './method-import.ts';
import { serverOf } from './tool-credentials.ts';
import { assertSize, changedMeanwhile, nameTaken, tooMany } from './tool-methods.service.ts';
import type { ToolMethodEntity } from './tool-method.entity.ts';
import { toColumns, toMethod, toTool } from './tool-views.ts';
import type { ToolEntity } from './tool.entity.ts';
import { assertStored, auditTool } from './tools.service.ts';
import {
  deleteMethods,
  getTool,
  insertMethods,
  listMethods,
  lockTool,
  updateMethod,
  updateTool,
} from './tools.store.ts';

/** What a preview shows of schemas. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;

/** Imports what MCP servers offer. Nothing that a server changes is used before an admin has imported it. */
@Injectable()
export class McpImportService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly listing: McpListingService,
    private readonly watch: McpWatchService,
  ) {}

  /** Without `methods` and `remove`, only compares. Throws TOOL_ERROR if the server cannot be read. */
  async run(call: AuditedCall, toolId: string, request: ImportToolRequest): Promise<ToolImport> {
    assertStored(toolId);
    const { methods: chosen = null, remove: removed = null, updatedAt = null } = request;
    const current = await getTool(this.database.manager, call.by.spaceId, toolId);
    if (current.kind !== 'mcp')
      throw conflict(`The tool ${current.name} is not an MCP server, so there is nothing to import from it`);
    const offered = await this.listing.list(call.by.userId, serverOf(this.secrets, current));
    return this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, toolId);
      if (tool.serverUrl !== current.serverUrl) throw changedMeanwhile(tool);
      if (updatedAt !== null && tool.updatedAt.toISOString() !== updatedAt) throw changedMeanwhile(tool);
      const isPreview = chosen === null && removed === null;
      if (!isPreview)
        await this.apply(tx, call, tool, offered, { methods: chosen ?? [], remove: removed ?? [] });
      await this.watch.note(tx, tool, offered.tools);
      // A preview changes no version, so that the import that follows it compares with the same.
      const next = isPreview ? tool : await updateTool(tx, tool, { checkedAt: () => 'clock_timestamp()' });
      const methods = await listMethods(tx, tool);
      const { server, report } = offered;
      return { server, offers: toOffers(methods, offered), report, tool: toTool(next, methods) };
    });
  }

  private async apply(
    tx: EntityManager,
    call: AuditedCall,
    tool: ToolEntity,
    offered: Offered,
    { methods: chosen, remove }: { methods: ChosenOffer[]; remove: string[] },
  ): Promise<void> {
    const methods = new Map((await listMethods(tx, tool)).map((method) => [method.name, method]));
    const gone = [...new Set(remove)].map((name) => {
      const method = methods.get(name);
      if (method === undefined) throw notFound(`The tool ${tool.name} has no method ${name}`);
      methods.delete(name);
      return method;
    });
    await deleteMethods(tx, tool, gone);
    const stored = new Map([...methods.values()].map((method) => [method.operationKey, method]));
    const names = new Set([...methods.keys()].map((name) => name.toLowerCase()));
    const added: Partial<ToolMethodEntity>[] = [];
    for (const [i, { tool: key, hash, name, keepEdits }] of chosen.entries()) {
      const offer = offered.tools.get(key);
      if (offer === undefined || offer.hash !== hash) throw offersOther(key);
      const method = stored.get(key);
      const wanted = name ?? method?.name ?? methodName(key, names);
      if (method !== undefined) names.delete(method.name.toLowerCase());
      if (names.has(wanted.toLowerCase())) throw nameTaken(`methods[${i}].name`, wanted);
      names.add(wanted.toLowerCase());
      const approval = { approved: hash, pending: null };
      if (method === undefined) added.push({ ...toColumns(importMethod(offer, wanted)), ...approval });
      else {
        const merged = mergeMethod(toMethod(method), offer, keepEdits ?? false);
        await updateMethod(tx, method, { ...toColumns(merged), name: wanted, ...approval });
      }
    }
    const total = stored.size + added.length;
    if (total > MAX_METHODS) throw tooMany(total);
    await insertMethods(tx, tool, added);
    await assertSize(tx, tool);
    const counts = { added: added.length, approved: chosen.length - added.length, removed: gone.length };
    await auditTool(tx, call, 'tool.import', tool, counts);
  }
}

function toOffers(methods: ToolMethodEntity[], { tools, isComplete }: Offered): ToolOffer[] {
  const shown = { bytes: 0 };
  const names = new Set(methods.map(({ name }) => name.toLowerCase()));
  const known = new Set(methods.map(({ operationKey }) => operationKey));
  const own = methods.flatMap((method) => {
    const offer = tools.get(method.operationKey) ?? null;
    // Nobody knows what the rest of an incomplete list has.
    return offer === null && !isComplete ? [] : [toOffer(method, offer, shown)];
  });
  const others = [...tools.values()].filter(({ name }) => !known.has(name));
  const added = others.map((offer) => {
    const name = methodName(offer.name, names);
    names.add(name.toLowerCase());
    return { ...describe(offer, shown), name, status: 'new' as const, changes: [], edits: [] };
  });
  return [...own, ...added];
}

function toOffer(method: ToolMethodEntity, offer: ServerTool | null, shown: { bytes: number }): ToolOffer {
  const { name, operationKey: tool, acts } = method;
  const { changes, edits } = compareMethod(toMethod(method), offer);
  const removed = { tool, description: '', inputSchema: null, acts, hash: null, reasons: [] };
  if (offer === null) return { ...removed, name, status: 'removed', changes, edits };
  const isChanged = offer.hash !== method.approved;
  return { ...describe(offer, shown), name, status: isChanged ? 'changed' : 'unchanged', changes, edits };
}

function describe({ name: tool, hash, definition, reasons }: ServerTool, shown: { bytes: number }) {
  const { description, inputSchema, acts } = definition;
  shown.bytes += JSON.stringify(inputSchema).length;
  return {
    tool,
    description,
    inputSchema: shown.bytes > MAX_SHOWN_BYTES ? null : inputSchema,
    acts,
    hash,
    reasons,
  };
}

const offersOther = (tool: string) =>
  conflict(`The server does not offer ${tool} as it was shown: compare again`);
