import { Injectable } from '@nestjs/common';
import type { ChosenOffer, ImportToolRequest, ToolImport, ToolOffer } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError, conflict, notFound } from '../../infra/errors/app-error.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import { OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { Secrets } from '../../models/port/secrets.ts';
import { CallCredentialsService, credentialsKeyOf } from '../calls/call-credentials.service.ts';
import { BLOCKED, NO_RESPONSE } from '../calls/tool-calls.service.ts';
import { McpConnectorService, McpRefusal, sessionKeyOf } from '../mcp-client/mcp-connector.service.ts';
import { McpWatchService } from '../mcp-client/mcp-watch.service.ts';
import { methodName, type ServerTool } from '../mcp-client/server-tool.ts';
import { LIST_LIMITS, listServerTools, type ToolList } from '../mcp-client/tool-list.ts';
import { MAX_METHODS } from './method-definition.ts';
import { compareMethod, importMethod, mergeMethod } from './method-import.ts';
import { openCredentials } from './tool-credentials.ts';
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
const MAX_QUOTED_BYTES = 300;

type Offered = ToolList & { server: ToolImport['server'] };

/** Imports what MCP servers offer. Nothing that a server changes is used before an admin has imported it. */
@Injectable()
export class McpImportService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly credentials: CallCredentialsService,
    private readonly connector: McpConnectorService,
    private readonly watch: McpWatchService,
    private readonly identity: IdentityService,
  ) {}

  /** Without `methods` and `remove`, only compares. Throws TOOL_ERROR if the server cannot be read. */
  async run(call: AuditedCall, toolId: string, request: ImportToolRequest): Promise<ToolImport> {
    assertStored(toolId);
    const { methods: chosen = null, remove: removed = null, updatedAt = null } = request;
    const current = await getTool(this.database.manager, call.by.spaceId, toolId);
    if (current.kind !== 'mcp')
      throw conflict(`The tool ${current.name} is not an MCP server, so there is nothing to import from it`);
    const offered = await this.load(call, current);
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

  /** With the credentials of the tool; if each person has their own, with those of the admin. */
  private async load({ by }: AuditedCall, tool: ToolEntity): Promise<Offered> {
    const { id: toolId, name: toolName, spaceId } = tool;
    const credentials = openCredentials(this.secrets, tool, tool.serverUrl);
    const { timeoutMs } = LIST_LIMITS;
    const { userId } = by;
    const asked = { spaceId, userId, toolId, toolName, serverUrl: tool.serverUrl, timeoutMs };
    const auth = await this.credentials.authenticate(credentials, asked);
    const { serverUrl: url, redirects } = tool;
    const server = { url, redirects, auth, key: null, causation: null };
    const sessionKey = sessionKeyOf(server, `${toolId}:${credentialsKeyOf(credentials, auth)}`, userId);
    try {
      return await this.connector.use({ ...LIST_LIMITS, server, sessionKey }, async (session) => {
        const list = await listServerTools(session);
        const { name = null, version: release = null } = session.client.getServerVersion() ?? {};
        const protocolVersion = session.client.getNegotiatedProtocolVersion() ?? null;
        return { ...list, server: { name, version: release, protocolVersion } };
      });
    } catch (error) {
      throw await this.explain(error, userId, Secrets.of(...auth.secrets));
    }
  }

  private async explain(error: unknown, userId: string, secrets: Secrets): Promise<unknown> {
    if (error instanceof McpRefusal) {
      const { status, output } = error;
      const quoted =
        output === null ? '' : `: ${typeof output === 'string' ? output : JSON.stringify(output)}`;
      const text = secrets.mask(`The server responded with status ${status}${quoted}`);
      return new AppError('TOOL_ERROR', shortened(text.replaceAll('\\0', ''), MAX_QUOTED_BYTES));
    }
    if (!(error instanceof OutgoingError)) return error;
    const isTold = error.isBlocked && (await this.identity.isInstallationAdmin(userId));
    return new AppError('TOOL_ERROR', isTold ? `${NO_RESPONSE}. ${BLOCKED}` : NO_RESPONSE);
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
