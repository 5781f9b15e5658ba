import { Injectable } from '@nestjs/common';
import type { AgentTool, CallPolicy, ToolInvocation, ToolKind } from '@platform/contracts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { CausationTokens } from '../../auth/credentials/causation.ts';
import { Database } from '../../infra/database/database.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { AppError, conflict, invalid } from '../../infra/errors/app-error.ts';
import { BLOCKED } from '../../infra/outgoing/guarded-http.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import type { BuiltinMethod, BuiltinTool } from '../platform/builtin-tool.ts';
import { builtinTools } from '../platform/builtin-tools.ts';
import { PlatformToolsService } from '../platform/platform-tools.service.ts';
import { isAudited, recordInvocation, type DirectCall } from '../policies/invocation-audit.ts';
import { openCredentials } from './tool-credentials.ts';
import { admitCall, type AdmittedMethod, type CallAdmission } from '../policies/admission.ts';
import { CallPause, type CallAnswer } from '../calls/call-pause.ts';
import { effectsOf, keyHeader, type CallEffects } from '../calls/idempotency.ts';
import type { CallableMethod } from '../calls/call-protocol.ts';
import { waitsForApproval } from '../mcp-client/mcp-watch.service.ts';
import { ToolCallsService } from '../calls/tool-calls.service.ts';
import type { ToolMethodEntity } from './tool-method.entity.ts';
import type { ToolEntity } from './tool.entity.ts';
import {
  findEffectFacts,
  findMissing,
  findOutputSchema,
  getCalled,
  listFirstOffered,
  listOffered,
  listOfferedNames,
  listUnfitting,
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
  policy: CallPolicy | null;
  kind: ToolKind;
}

export type OfferedName = Pick<OfferedMethod, 'toolId' | 'toolName' | 'name'>;

/** A method that is offered, but has no room in lists. */
export interface UnlistedMethod extends OfferedName {
  /** What it exceeds: the number of tools, or the bytes of schemas and descriptions. */
  limit: 'tools' | 'bytes';
}

export interface ToolCaller {
  spaceId: string;
  userId: string;
  /** The run whose step makes the call. */
  causationRunId: string | null;
}

export interface InvokeOptions extends CallAdmission {
  signal?: AbortSignal;
  /** A call that a person makes, which the audit records if it acts. */
  direct?: DirectCall;
  /** Whether the caller asks a person and makes the call again. Any other caller receives an error. */
  mayPause?: boolean;
  /** The values that the server asked a person for. */
  answer?: CallAnswer;
  /** Names the effect of the call, in all attempts of a run. */
  effectKey?: string;
  agent?: { id: string; name: string };
  /** Reads an attachment of the session. */
  readAttachment?: (id: string) => Promise<{ mime: string; data: Buffer } | null>;
  /** Keeps a file in the session. Returns its id. */
  saveAttachment?: (file: { mime: string; data: Buffer }) => Promise<string>;
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

  /** The first 128 enabled methods of listed tools. Those whose schemas would be too much come without them: `fits` is false. */
  async listFirstOffered(
    sql: Sql,
    spaceId: string,
    tools: AgentTool[],
  ): Promise<(OfferedMethod & { fits: boolean })[]> {
    const own = this.firstOfPlatform(tools);
    const listed = storedAmong(tools);
    const limits = { methods: MAX_OFFERED - own.length, bytes: MAX_OFFERED_BYTES };
    const found = listed.length === 0 ? [] : await listFirstOffered(sql, spaceId, listed, limits);
    return [...own.map((method) => ({ ...method, fits: true })), ...found];
  }

  /** The enabled methods of listed tools that are not among the first `room` that fit: their number, and the first `limit`. */
  async listUnlisted(
    sql: Sql,
    spaceId: string,
    tools: AgentTool[],
    room: number,
    limit: number,
  ): Promise<{ count: number; first: UnlistedMethod[] }> {
    const own = tools.flatMap((tool) => this.offeredByPlatform(tool));
    const listed = storedAmong(tools);
    const limits = { methods: Math.max(0, room - own.length), bytes: MAX_OFFERED_BYTES };
    const found = listed.length === 0 ? [] : await listUnfitting(sql, spaceId, listed, limits, limit);
    const unlisted = own
      .slice(room)
      .map(({ toolId, toolName, name }) => ({ toolId, toolName, name, isFirst: false }));
    const first = [...unlisted, ...found].slice(0, limit);
    return {
      count: unlisted.length + (found[0]?.count ?? 0),
      first: first.map(({ toolId, toolName, name, isFirst }) => ({
        toolId,
        toolName,
        name,
        limit: isFirst ? 'bytes' : 'tools',
      })),
    };
  }

  /** The names of what `listFirstOffered` returns, in its order. */
  async listOfferedNames(spaceId: string, tools: AgentTool[]): Promise<OfferedName[]> {
    const own = this.firstOfPlatform(tools);
    const listed = storedAmong(tools);
    const room = MAX_OFFERED - own.length;
    const found = listed.length === 0 ? [] : await listOfferedNames(this.database, spaceId, listed, room);
    return [...own, ...found];
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
   * Calls a method as a member of the space. Throws FORBIDDEN, NOT_FOUND, CONFLICT if the method is disabled, waits for approval, or
   * a person would have to be asked, a `CallPause` instead to a caller that asks, and what `ToolCallsService` throws.
   */
  async invoke(
    caller: ToolCaller,
    toolId: string,
    methodName: string,
    input: Record<string, unknown>,
    options: InvokeOptions = {},
  ): Promise<ToolInvocation> {
    try {
      return await this.admitAndCall(caller, toolId, methodName, input, options);
    } catch (error) {
      if (!(error instanceof CallPause) || options.mayPause === true) throw error;
      throw new AppError('CONFLICT', explainPause(error), { cause: error });
    }
  }

  private async admitAndCall(
    caller: ToolCaller,
    toolId: string,
    methodName: string,
    input: Record<string, unknown>,
    options: InvokeOptions,
  ): Promise<ToolInvocation> {
    const builtin = builtinTools.get(toolId);
    if (builtin !== undefined) return this.invokePlatform(caller, builtin, methodName, input, options);
    const { tool, method } = await getCalled(this.database, caller.spaceId, toolId, methodName);
    if (!method.enabled) throw conflict(`The method ${methodName} of the tool ${tool.name} is disabled`);
    if (method.pending !== null) throw waitsForApproval(methodName);
    const callable = toCallable(tool, method);
    const { id, acts, policy, inputSchema } = method;
    const asked = { toolId, tool: tool.name, method: methodName, id, version: callable.version, inputSchema };
    const check = () => this.calls.checkInput(callable, input);
    await this.admit(caller, { ...asked, kind: tool.kind, acts, policy }, input, options, check);
    const credentials = openCredentials(this.secrets, tool, callable.serverUrl);
    const { spaceId, causationRunId } = caller;
    const causation =
      causationRunId === null ? null : await this.causations.sign({ runId: causationRunId, spaceId });
    const { signal, effectKey, readAttachment, saveAttachment, answer } = options;
    const key = acts && effectKey !== undefined ? keyHeader(tool.idempotency, effectKey) : null;
    const effects = effectsOf({ ...tool, ...method }, input);
    const result = await this.calls.call(callable, credentials, input, {
      userId: caller.userId,
      isRepeatable: !effects.acts || (effects.isRepeatable && key !== null),
      ...(signal && { signal }),
      ...(answer && { answer }),
      ...(causation !== null && { causation }),
      ...(key !== null && { key }),
      ...(readAttachment && { readAttachment }),
      ...(saveAttachment && { saveAttachment }),
      explainBlocked: () => this.explainBlocked(caller),
    });
    const isWithheld = credentials.auth.type === 'none' && tool.auth.type !== 'none';
    return isWithheld ? { ...result, warnings: [...result.warnings, NOT_SENT] } : result;
  }

  /** The entry comes before the call, which may have had its effect even if its response is lost. */
  private async admit(
    caller: ToolCaller,
    method: AdmittedMethod,
    input: Record<string, unknown>,
    options: InvokeOptions,
    check?: () => void,
  ): Promise<void> {
    const resolved = await admitCall(this.database, caller, method, input, options);
    const { direct } = options;
    if (direct === undefined || !isAudited(method.acts, resolved)) return;
    // What is refused is no call.
    check?.();
    await recordInvocation(this.database.manager, direct, method, resolved);
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

  private async invokePlatform(
    caller: ToolCaller,
    tool: BuiltinTool,
    methodName: string,
    input: Record<string, unknown>,
    options: InvokeOptions,
  ): Promise<ToolInvocation> {
    const { signal = new AbortController().signal, agent, readAttachment, answer = null } = options;
    const method = tool.methods.find(({ name }) => name === methodName);
    if (method !== undefined) await this.admit(caller, describeBuiltin(tool, method), input, options);
    const attachments = { read: readAttachment ?? (() => Promise.resolve(null)) };
    const { spaceId, userId } = caller;
    const explainBlocked = () => this.explainBlocked(caller);
    const call = { spaceId, userId, agent: agent ?? null, answer, attachments, signal, explainBlocked };
    return this.platform.invoke(tool, methodName, input, call);
  }

  /** Everybody else must not learn which addresses are private. The pages of runs are read by others, too. */
  private async explainBlocked({ userId, causationRunId }: ToolCaller): Promise<string | null> {
    const isTold = causationRunId === null && (await this.identity.isInstallationAdmin(userId));
    return isTold ? BLOCKED : null;
  }

  private firstOfPlatform(tools: AgentTool[]): OfferedMethod[] {
    return tools.flatMap((tool) => this.offeredByPlatform(tool)).slice(0, MAX_OFFERED);
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
      policy: null,
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
    toolName: tool.name,
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

/** For callers that cannot ask. */
function explainPause({ need, message }: CallPause): string {
  if (need.kind !== 'APPROVAL') return message;
  const { tool, method } = need.call;
  return `The call of ${tool}.${method} needs an approval, which cannot be asked for here`;
}

/** A method of the platform has no policy of its own, and no versions. */
function describeBuiltin({ name: tool, kind }: BuiltinTool, { name, acts, inputSchema }: BuiltinMethod) {
  const id = `${tool}.${name}`;
  return { toolId: tool, tool, method: name, id, version: '', inputSchema, kind, acts, policy: null };
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
