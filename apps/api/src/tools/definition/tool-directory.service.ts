import { Injectable } from '@nestjs/common';
import type { AgentTool, ToolInvocation, ToolKind } from '@platform/contracts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { CausationTokens } from '../../auth/credentials/causation.ts';
import { Database } from '../../infra/database/database.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { conflict, invalid } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import type { BuiltinTool } from '../platform/builtin-tool.ts';
import { builtinTools } from '../platform/builtin-tools.ts';
import { PlatformToolsService } from '../platform/platform-tools.service.ts';
import { openCredentials } from './tool-credentials.ts';
import { effectsOf, keyHeader, type CallEffects } from '../calls/idempotency.ts';
import type { CallAnswer } from '../calls/call-pause.ts';
import { waitsForApproval } from '../mcp-client/mcp-watch.service.ts';
import { BLOCKED, ToolCallsService, type CallableMethod } from '../calls/tool-calls.service.ts';
import type { ToolMethodEntity } from './tool-method.entity.ts';
import type { ToolEntity } from './tool.entity.ts';
import {
  findEffectFacts,
  findMissing,
  findOutputSchema,
  getMethod,
  getTool,
  listOffered,
  measureOffered,
} from './tools.store.ts';

/** The most tools that a model is offered. */
export const MAX_OFFERED = 128;
const MAX_OFFERED_BYTES = 2 * 1024 * 1024;
const NOT_SENT =
  'The credentials of the tool were not sent: the method has a server of its own, on another origin';

/** A method that a model can be offered. */
export interface OfferedMethod {
  toolId: string;
  toolName: string;
  name: string;
  description: string;
  /** JSON Schema. */
  inputSchema: Record<string, unknown>;
  acts: boolean;
  kind: ToolKind;
}

export interface ToolCaller {
  spaceId: string;
  userId: string;
  /** The run whose step makes the call. */
  causationRunId: string | null;
}

export interface InvokeOptions {
  signal?: AbortSignal;
  /** Names the effect of the call, in all attempts of a run. */
  effectKey?: string;
  agent?: { id: string; name: string };
  /** Reads an attachment of the session. */
  readAttachment?: (id: string) => Promise<{ mime: string; data: Buffer } | null>;
  /** Keeps a file in the session. Returns its id. */
  saveAttachment?: (file: { mime: string; data: Buffer }) => Promise<string>;
  /** What a person did after the same call threw a `CallPause`. */
  answer?: CallAnswer;
}

/** What other modules know of tools: which exist, what models can be offered, and how to call them. */
@Injectable()
export class ToolDirectoryService {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly causations: CausationTokens,
    private readonly platform: PlatformToolsService,
    private readonly calls: ToolCallsService,
    private readonly identity: IdentityService,
  ) {}

  /** The enabled methods of listed tools. Throws VALIDATION_ERROR if they are more than a model can be offered. */
  async listOffered(sql: Sql, spaceId: string, tools: AgentTool[]): Promise<OfferedMethod[]> {
    await this.assertOfferable(sql, spaceId, tools, 0);
    const listed = storedAmong(tools);
    const found = listed.length === 0 ? [] : await listOffered(sql, spaceId, listed);
    return [...tools.flatMap((tool) => this.offeredByPlatform(tool)), ...found];
  }

  /** Throws VALIDATION_ERROR if a model could not be offered all methods of the tools and `others`. */
  async assertOfferable(sql: Sql, spaceId: string, tools: AgentTool[], others: number): Promise<void> {
    const listed = storedAmong(tools);
    const { count, bytes } =
      listed.length === 0 ? { count: 0, bytes: 0 } : await measureOffered(sql, spaceId, listed);
    const total = count + tools.flatMap((tool) => this.offeredByPlatform(tool)).length + others;
    if (total > MAX_OFFERED) {
      const more = others > 0 ? ', local tools and the question to the user included' : '';
      throw invalid(`tools must offer at most ${MAX_OFFERED} methods to the model, not ${total}${more}`);
    }
    if (bytes > MAX_OFFERED_BYTES) {
      throw invalid(
        `tools must offer methods with schemas of at most ${MAX_OFFERED_BYTES} bytes together, not ${bytes}`,
      );
    }
  }

  /** For each tool of an agent, a sentence if it or one of its methods does not exist, or null. */
  async findMissing(sql: Sql, spaceId: string, tools: AgentTool[]): Promise<(string | null)[]> {
    const stored = storedAmong(tools);
    const found = stored.length === 0 ? [] : await findMissing(sql, spaceId, stored);
    const byTool = new Map(found.map(({ position, ...state }) => [stored[position], state]));
    return tools.map((tool) => {
      const { exists, missing } = byTool.get(tool) ?? stateOnPlatform(tool);
      const builtin = builtinTools.get(tool.toolId);
      if (builtin !== undefined && !this.platform.isAvailable(builtin))
        return `The agent lists the tool ${tool.toolId}, which is not configured here`;
      if (!exists) return `The agent lists the tool ${tool.toolId}, which does not exist`;
      if (missing === null || missing.length === 0) return null;
      return `The agent lists methods that the tool ${tool.toolId} does not have: ${missing.join(', ')}`;
    });
  }

  /**
   * Calls a method as a member of the space. Throws FORBIDDEN, NOT_FOUND, CONFLICT if the method is disabled or waits for
   * approval, and what `ToolCallsService` throws, such as a `CallPause`.
   */
  async invoke(
    caller: ToolCaller,
    toolId: string,
    methodName: string,
    input: Record<string, unknown>,
    options: InvokeOptions = {},
  ): Promise<ToolInvocation> {
    const builtin = builtinTools.get(toolId);
    if (builtin !== undefined) return this.invokePlatform(caller, builtin, methodName, input, options);
    const { manager } = this.database;
    const tool = await getTool(manager, caller.spaceId, toolId);
    const method = await getMethod(manager, tool, methodName);
    if (!method.enabled) throw conflict(`The method ${methodName} of the tool ${tool.name} is disabled`);
    if (method.pending !== null) throw waitsForApproval(methodName);
    const callable = toCallable(tool, method);
    const credentials = openCredentials(this.secrets, tool, callable.serverUrl);
    const { spaceId, causationRunId } = caller;
    const causation =
      causationRunId === null ? null : await this.causations.sign({ runId: causationRunId, spaceId });
    const { signal, effectKey, readAttachment, saveAttachment, answer } = options;
    const key = method.acts && effectKey !== undefined ? keyHeader(tool.idempotency, effectKey) : null;
    const result = await this.calls.call(callable, credentials, input, {
      userId: caller.userId,
      ...(signal && { signal }),
      ...(answer && { answer }),
      ...(causation !== null && { causation }),
      ...(key !== null && { key }),
      ...(readAttachment && { readAttachment }),
      ...(saveAttachment && { saveAttachment }),
      explainBlocked: () => this.explainBlocked(caller),
    });
    const isWithheld = tool.authSecret !== null && credentials.secret === null;
    return isWithheld ? { ...result, warnings: [...result.warnings, NOT_SENT] } : result;
  }

  /** Returns null for a method that does not exist. */
  async findEffects(
    spaceId: string,
    toolId: string,
    methodName: string,
    input: Record<string, unknown>,
  ): Promise<CallEffects | null> {
    const builtin = builtinTools.get(toolId)?.methods.find(({ name }) => name === methodName);
    if (builtin !== undefined) return { acts: builtin.acts, isRepeatable: !builtin.acts };
    const facts = await findEffectFacts(this.database, spaceId, toolId, methodName);
    return facts && effectsOf(facts, input);
  }

  /** Null for a method that does not exist, or says nothing of its output. */
  async findOutputSchema(
    spaceId: string,
    toolId: string,
    name: string,
  ): Promise<Record<string, unknown> | null> {
    const builtin = builtinTools.get(toolId)?.methods.find((method) => method.name === name);
    if (builtin !== undefined) return builtin.outputSchema ?? null;
    return findOutputSchema(this.database, spaceId, toolId, name);
  }

  private invokePlatform(
    caller: ToolCaller,
    tool: BuiltinTool,
    methodName: string,
    input: Record<string, unknown>,
    { signal = new AbortController().signal, agent, readAttachment }: InvokeOptions,
  ): Promise<ToolInvocation> {
    const attachments = { read: readAttachment ?? (() => Promise.resolve(null)) };
    const { spaceId, userId } = caller;
    const explainBlocked = () => this.explainBlocked(caller);
    const call = { spaceId, userId, agent: agent ?? null, attachments, signal, explainBlocked };
    return this.platform.invoke(tool, methodName, input, call);
  }

  /** Everybody else must not learn which addresses are private. The pages of runs are read by others, too. */
  private async explainBlocked({ userId, causationRunId }: ToolCaller): Promise<string | null> {
    const isTold = causationRunId === null && (await this.identity.isInstallationAdmin(userId));
    return isTold ? BLOCKED : null;
  }

  private offeredByPlatform({ toolId, methods }: AgentTool): OfferedMethod[] {
    const tool = builtinTools.get(toolId);
    if (tool === undefined || !this.platform.isAvailable(tool)) return [];
    const offered = tool.methods.filter(({ name }) => methods === null || methods.includes(name));
    return offered.map(({ name, description, inputSchema, acts }) => ({
      toolId,
      toolName: toolId,
      name,
      description,
      inputSchema,
      acts,
      kind: tool.kind,
    }));
  }
}

function toCallable(tool: ToolEntity, method: ToolMethodEntity): CallableMethod {
  const { id, toolId, spaceId, httpMethod, path, inputSchema, outputSchema, bindings } = method;
  const { outputFields, bodyMediaType, encoding, cacheTtlSeconds, retry, timeoutMs, operationKey, imported } =
    method;
  return {
    id,
    toolId,
    spaceId,
    protocol: tool.kind === 'mcp' ? 'mcp' : 'http',
    serverUrl: method.serverUrl ?? tool.serverUrl,
    redirects: tool.redirects,
    httpMethod,
    path,
    operationKey,
    inputSchema,
    outputSchema,
    outputFields,
    bindings,
    bodyMediaType,
    encoding,
    cache: { ttlSeconds: cacheTtlSeconds },
    retry,
    timeoutMs,
    imported,
    checkedAt: tool.checkedAt,
    version: `${tool.updatedAt.getTime()}.${method.updatedAt.getTime()}`,
  };
}

function storedAmong(tools: AgentTool[]): AgentTool[] {
  return tools.filter(({ toolId }) => isUuid(toolId));
}

function stateOnPlatform({ toolId, methods }: AgentTool): { exists: boolean; missing: string[] | null } {
  const tool = builtinTools.get(toolId);
  if (tool === undefined) return { exists: false, missing: null };
  const missing = methods?.filter((name) => !tool.methods.some((method) => method.name === name)) ?? [];
  return { exists: true, missing };
}
