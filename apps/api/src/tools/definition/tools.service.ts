import { Injectable } from '@nestjs/common';
import type {
  AuditAction,
  CreateToolRequest,
  Page,
  Tool,
  ToolAuth,
  ToolListing,
  UpdateToolRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import { ConnectionsService } from '../../connections/accounts/connections.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { violates } from '../../infra/database/rows.ts';
import { conflict, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { hasWords, positionIn, readPart } from '../../infra/requests/named-lists.ts';
import type { SortedPageDto } from '../../infra/requests/page.dto.ts';
import { DEFAULT_IDEMPOTENCY } from '../calls/idempotency.ts';
import { builtinTools } from '../platform/builtin-tools.ts';
import { newMethod, schemaSizeProblem } from './method-definition.ts';
import { PlatformToolsService } from '../platform/platform-tools.service.ts';
import { sameOrigin } from '../http/server-url.ts';
import { authPlace, connectionOf, describeAuth, secretFieldOf, secretOf, sendsAlike } from './tool-auth.ts';
import { toColumns, toListing, toPlatformListing, toPlatformTool, toTool } from './tool-views.ts';
import type { ToolEntity } from './tool.entity.ts';
import {
  countMethods,
  deleteTool,
  getTool,
  insertMethods,
  insertTool,
  listMethods,
  listTools,
  lockTool,
  newToolId,
  TOOL_LIST,
  updateTool,
} from './tools.store.ts';

type Credentials = Pick<ToolEntity, 'auth' | 'authSecret'>;

/** Manages the tools of spaces. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly secrets: SecretBox,
    private readonly platform: PlatformToolsService,
    private readonly connections: ConnectionsService,
  ) {}

  /** The tools of the platform are last, whatever the order of the others. */
  async list(spaceId: string, query: SortedPageDto): Promise<Page<ToolListing>> {
    const part = readPart(query, { toolsOf: spaceId }, this.cursors);
    const { ids, limit } = part;
    const [last = null] = part.after ?? [];
    const platform = [...builtinTools.values()].filter(
      (tool) =>
        this.platform.isAvailable(tool) &&
        (ids === null || ids.includes(tool.name)) &&
        hasWords(part, tool.name),
    );
    const shown = platform.findIndex(({ name }) => name === last) + 1;
    const after = isUuid(last) ? part.after : null;
    const tools = shown > 0 ? [] : await listTools(this.database.manager, spaceId, { ...part, after });
    const counts = await countMethods(
      this.database,
      tools.map(({ id }) => id),
    );
    const listings = tools.map((tool) => toListing(tool, counts.get(tool.id) ?? 0));
    if (tools.length <= limit) listings.push(...platform.slice(shown).map(toPlatformListing));
    return this.cursors.page(
      listings,
      limit,
      part.filter,
      (tool) => (isUuid(tool.id) ? positionIn(TOOL_LIST, part, tool) : [tool.id]),
      (listing) => listing,
    );
  }

  async get(spaceId: string, id: string): Promise<Tool> {
    const platform = builtinTools.get(id);
    if (platform !== undefined) return toPlatformTool(platform);
    const tool = await getTool(this.database.manager, spaceId, id);
    return toTool(tool, await listMethods(this.database.manager, tool));
  }

  async create(call: AuditedCall, request: CreateToolRequest): Promise<Tool> {
    const { spaceId, userId } = call.by;
    const kind = request.kind ?? 'http';
    const methods = (request.methods ?? []).map(newMethod);
    if (kind === 'mcp' && methods.length > 0)
      throw invalid('methods must be absent for an MCP server: they are imported from it');
    const problems = methods.flatMap((method, i) => schemaSizeProblem(method, `methods[${i}].`));
    if (problems.length > 0) throw invalidFor(problems);
    if (builtinTools.has(request.name)) throw nameTaken(request.name);
    return this.database.transaction(async (tx) => {
      const id = await newToolId(tx);
      const sent = request.auth ? secretOf(request.auth) : null;
      const authSecret = sent ? this.secrets.seal(authPlace(spaceId, id), sent) : null;
      await this.assertConnection(tx, spaceId, request.auth);
      const tool = await insertTool(tx, {
        id,
        spaceId,
        name: request.name,
        description: request.description ?? '',
        kind,
        serverUrl: request.serverUrl,
        redirects: request.redirects ?? 'same-origin',
        idempotency: request.idempotency ?? DEFAULT_IDEMPOTENCY,
        auth: describeAuth(request.auth ?? { type: 'none' }, authSecret !== null),
        authSecret,
        createdBy: userId,
      });
      if (tool === null) throw nameTaken(request.name);
      await insertMethods(tx, tool, methods.map(toColumns));
      await auditTool(tx, call, 'tool.create', tool, { methods: methods.length });
      return toTool(tool, await listMethods(tx, tool));
    });
  }

  async update(call: AuditedCall, id: string, change: UpdateToolRequest): Promise<Tool> {
    assertStored(id);
    if (builtinTools.has(change.name ?? '')) throw nameTaken(change.name ?? '');
    try {
      return await this.database.transaction(async (tx) => {
        const current = await lockTool(tx, call.by.spaceId, id);
        await this.assertConnection(tx, call.by.spaceId, change.auth);
        const credentials = this.changeCredentials(current, change);
        const isNew =
          credentials.authSecret !== current.authSecret || !sendsAlike(credentials.auth, current.auth);
        const tool = await updateTool(tx, current, {
          name: change.name ?? current.name,
          description: change.description ?? current.description,
          serverUrl: change.serverUrl ?? current.serverUrl,
          redirects: change.redirects ?? current.redirects,
          idempotency: change.idempotency ?? current.idempotency,
          // Another server has not been compared with what was approved.
          ...(change.serverUrl !== undefined && { checkedAt: null }),
          ...credentials,
          credentialsVersion: current.credentialsVersion + (isNew ? 1 : 0),
        });
        await auditTool(tx, call, 'tool.update', tool, { fields: Object.keys(change) });
        return toTool(tool, await listMethods(tx, tool));
      });
    } catch (error) {
      throw violates(error, 'tool_name') ? nameTaken(change.name ?? '') : error;
    }
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    assertStored(id);
    await this.database.transaction(async (tx) => {
      const tool = await lockTool(tx, call.by.spaceId, id);
      await deleteTool(tx, tool);
      await auditTool(tx, call, 'tool.delete', tool);
    });
  }

  private async assertConnection(
    tx: EntityManager,
    spaceId: string,
    auth: ToolAuth | null | undefined,
  ): Promise<void> {
    const ref = auth && connectionOf(describeAuth(auth, false));
    if (ref) await this.connections.assertReferable(tx, spaceId, ref);
  }

  /**
   * The credentials after a change. Only a caller who knows the stored secret may send it to another origin, or in
   * another way.
   */
  private changeCredentials(current: ToolEntity, { auth, serverUrl }: UpdateToolRequest): Credentials {
    const sent = auth ? secretOf(auth) : null;
    const next = auth ? describeAuth(auth, false) : current.auth;
    if (sent === null && current.authSecret !== null) {
      const isMoved = typeof serverUrl === 'string' && !sameOrigin(serverUrl, current.serverUrl);
      const field = secretFieldOf(next.type);
      if (isMoved) throw invalid(`${field} must be sent again if serverUrl changes its origin`);
      if (!sendsAlike(next, current.auth)) throw invalid(`${field} must be sent again with a changed auth`);
      return { auth: current.auth, authSecret: current.authSecret };
    }
    const authSecret = sent ? this.secrets.seal(authPlace(current.spaceId, current.id), sent) : null;
    const configured = authSecret !== null;
    return { auth: 'configured' in next ? { ...next, configured } : next, authSecret };
  }
}

/** Throws CONFLICT for a tool of the platform. */
export function assertStored(id: string): void {
  if (builtinTools.has(id))
    throw conflict(`${id} is a tool of the platform and cannot be changed or deleted`);
}

/** Records the names of changed fields only: their values may be secrets. */
export async function auditTool(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, name }: ToolEntity,
  more: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, by, {
    action,
    targetType: 'tool',
    targetId: id,
    details: { name, ...more },
    requestId,
  });
}

const nameTaken = (name: string) => conflict(`name must be unique: a tool named ${name} already exists`);
