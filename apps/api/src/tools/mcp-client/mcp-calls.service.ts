import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppError } from '../../infra/errors/app-error.ts';
import { OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { OwnAddressRegistry } from '../../infra/outgoing/own-address.registry.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { rawNumber } from '../../infra/runtime/raw-json.ts';
import { returnsJson } from '../calls/method-schemas.service.ts';
import type {
  AuthenticatedRequest,
  CallAuth,
  CallDraft,
  CallProtocol,
  CallResponse,
  PreparedCall,
} from '../calls/call-protocol.ts';
import { ToolCallsService } from '../calls/tool-calls.service.ts';
import { keepFile, maskOutput } from '../calls/tool-output.ts';
import { isRetriedStatus } from '../calls/tool-retries.ts';
import { replaceWrittenIntegers } from '../calls/written-integers.ts';
import { toContinuation, toPause, type Continuation } from './elicitation-form.ts';
import type { McpServerAddress } from './guarded-fetch.ts';
import {
  McpConnectorService,
  McpRefusal,
  sessionKeyOf,
  type McpExchange,
  type McpSession,
} from './mcp-connector.service.ts';
import { readResult } from './mcp-result.ts';
import { McpWatchService } from './mcp-watch.service.ts';
import { LIST_LIMITS, listServerTools } from './tool-list.ts';

const MAX_RESPONSE_BYTES = 10_485_760;
/** The comparison with what was approved must not keep a call waiting for longer. */
const CHECK_MS = 10_000;
/** How often a server can ask to be called again without asking a person. */
const MAX_ROUNDS = 5;
const REFUSED = 401;

type AuthenticatedDraft = CallDraft & { auth: CallAuth };

/** Calls methods that are tools of an MCP server. */
@Injectable()
export class McpCallsService implements CallProtocol, OnModuleInit {
  private readonly logger = new Logger(McpCallsService.name);

  constructor(
    private readonly connector: McpConnectorService,
    private readonly watch: McpWatchService,
    private readonly ownAddress: OwnAddressRegistry,
    private readonly calls: ToolCallsService,
  ) {}

  onModuleInit(): void {
    this.calls.register('mcp', this);
  }

  prepare(draft: CallDraft): Promise<PreparedCall> {
    return Promise.resolve({
      isCacheable: true,
      as: (auth) => ({
        auth,
        warnings: [],
        attempt: (timeoutMs) => this.attempt({ ...draft, auth }, timeoutMs),
      }),
    });
  }

  private async attempt(
    draft: AuthenticatedDraft,
    timeoutMs: number,
  ): ReturnType<AuthenticatedRequest['attempt']> {
    const { auth, options } = draft;
    const started = performance.now();
    await this.check(draft, timeoutMs);
    const leftMs = Math.max(1, timeoutMs - Math.ceil(performance.now() - started));
    try {
      const exchange = this.exchangeFor(draft, { timeoutMs: leftMs, maxBytes: MAX_RESPONSE_BYTES });
      const response = await this.connector.use(exchange, (session) => this.call(session, draft));
      return { isRetried: false, retryAfter: null, refusal: null, read: () => Promise.resolve(response) };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof OutgoingError) return { failure: error };
      if (!(error instanceof McpRefusal)) throw error;
      const { status, output, exchange, isHttp } = error;
      const response = exchange.describe(auth.secrets);
      const refused = { status, output, isUsable: false, isKept: false, warnings: [], response };
      return {
        isRetried: isHttp && isRetriedStatus(status),
        retryAfter: exchange.retryAfter,
        // The authorization of MCP comes before everything else of a request, so nothing has happened.
        refusal: isHttp && status === REFUSED ? { isRepeatable: true } : null,
        read: () => Promise.resolve(refused),
      };
    }
  }

  /** Throws CONFLICT if the server has changed the method since an admin approved it. */
  private async check(draft: AuthenticatedDraft, timeoutMs: number): Promise<void> {
    const { method, options } = draft;
    const tool = { spaceId: method.spaceId, id: method.toolId, checkedAt: method.checkedAt };
    const limits = { ...LIST_LIMITS, timeoutMs: Math.min(timeoutMs / 2, CHECK_MS) };
    const list = () =>
      this.connector.use(this.exchangeFor(draft, limits), (session) =>
        listServerTools(session, options.signal),
      );
    const isCompared = await this.watch.check(tool, list, options.signal);
    if (isCompared) await this.watch.assertApproved(tool, method.id);
  }

  private async call(session: McpSession, draft: AuthenticatedDraft): Promise<CallResponse> {
    const { method, auth, options } = draft;
    const result = await this.callTool(session, draft);
    const save = result.isError === true ? undefined : options.saveAttachment;
    const { hasFiles, ...read } = await readResult(result, returnsJson(method), (file) =>
      keepFile(file, save, (err) =>
        this.logger.warn({ err, methodId: method.id }, 'A file that a tool sent could not be stored'),
      ),
    );
    const { exchange, warnings, hasChanges } = session;
    if (hasChanges) await this.watch.expectChanges({ spaceId: method.spaceId, id: method.toolId });
    return {
      ...read,
      isKept: !hasFiles,
      warnings: [...warnings, ...exchange.messages.warnings, ...read.warnings],
      response: exchange.describe(auth.secrets),
    };
  }

  /** Throws `CallPause` if the server asks a person something. */
  private async callTool(
    session: McpSession,
    { method, input, options, auth }: AuthenticatedDraft,
  ): Promise<CallToolResult> {
    const { client, sdk, exchange } = session;
    const { signal, key, answer } = options;
    const name = method.operationKey;
    let continuation: Continuation = answer === undefined ? {} : toContinuation(answer);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const params = {
        name,
        arguments: replaceWrittenIntegers(method.inputSchema, input, rawNumber) as JsonObject,
        ...continuation,
        ...(key && { _meta: { idempotencyKey: key[1] } }),
      };
      const result = await client.callTool(params, {
        timeout: exchange.remainingMs,
        allowInputRequired: true,
        toolDefinition: { name, inputSchema: { ...schemaOf(method), type: 'object' } },
        ...(signal && { signal }),
      });
      if (!sdk.isInputRequiredResult(result)) return result;
      const { inputRequests, requestState } = result;
      if (Object.keys(inputRequests ?? {}).length > 0)
        // A server can repeat what authenticated the call to the person whom it asks.
        throw toPause({ inputRequests: maskOutput(inputRequests, auth.secrets), requestState });
      continuation = { ...(requestState !== undefined && { requestState }) };
    }
    throw new AppError(
      'TOOL_ERROR',
      `The server of the tool has not answered the call after ${MAX_ROUNDS} rounds`,
    );
  }

  private exchangeFor(
    { method, auth, options }: AuthenticatedDraft,
    limits: { timeoutMs: number; maxBytes: number },
  ): McpExchange {
    const { serverUrl: url, redirects } = method;
    const { key = null, causation, userId, signal } = options;
    // Only the platform can use the value, and nobody else needs to know the run.
    const isOwn = causation !== undefined && this.ownAddress.includes(new URL(url));
    const server: McpServerAddress = {
      url,
      redirects,
      auth: auth.parts,
      key,
      causation: isOwn ? causation : null,
    };
    return {
      ...limits,
      server,
      sessionKey: sessionKeyOf(server, auth.key, userId),
      ...(signal && { signal }),
    };
  }
}

/** As the server declares it: an edit cannot say which headers the server expects. */
function schemaOf({ imported, inputSchema }: CallDraft['method']): JsonObject {
  return isObject(imported) && isObject(imported.inputSchema) ? imported.inputSchema : inputSchema;
}
