import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { AuthInfo, McpRequestContext, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../auth/credentials/open-responses.registry.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { AppError } from '../infra/errors/app-error.ts';
import { isObject } from '../infra/runtime/json.ts';
import { isText } from '../infra/requests/text.ts';
import type { McpCall, McpOutcome, McpResult, Reply } from './mcp-tool.ts';
import { McpToolsService } from './mcp-tools.service.ts';
import { toRequestedSchema, toText } from './question-schema.ts';
import { GET_RESULT } from './tool-name.ts';

type Sdk = typeof import('@modelcontextprotocol/server');
type NodeHandler = (req: Request, res: Response, body: unknown) => Promise<void>;

/** Of `_meta`: a repeated call with the same key finds what the first one started. */
const IDEMPOTENCY_KEY = 'idempotencyKey';
const MAX_KEY = 200;
const INSTRUCTIONS = `The agents, tasks, and tools of a space. A call that takes long returns a handle: call ${GET_RESULT} with it until the work has ended.`;

/** What the service tells the factory of a server about the request. */
interface RequestFacts extends Record<string, unknown> {
  call: AuditedCall;
  left: AbortSignal;
}

/** Speaks MCP: every request is served alone, by any process. */
@Injectable()
export class McpServerService implements BeforeApplicationShutdown {
  private readonly logger = new Logger(McpServerService.name);
  private readonly stopping = new AbortController();
  private loaded: Promise<NodeHandler> | null = null;

  constructor(
    private readonly config: PlatformConfig,
    private readonly tools: McpToolsService,
    private readonly openResponses: OpenResponsesRegistry,
  ) {}

  /** Calls that wait return their handles. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async respond(call: AuditedCall, req: Request, res: Response, body: unknown): Promise<void> {
    const left = new AbortController();
    res.once('close', () => left.abort());
    this.openResponses.watch(call.by, res);
    const facts: RequestFacts = { call, left: left.signal };
    const auth: AuthInfo = { token: '', clientId: call.by.credential.id, scopes: [], extra: facts };
    // Nobody needs the protocol before its first request.
    this.loaded ??= this.load();
    await (
      await this.loaded
    )(Object.assign(req, { auth }), res, body);
  }

  private async load(): Promise<NodeHandler> {
    const sdk = await import('@modelcontextprotocol/server');
    const { toNodeHandler } = await import('@modelcontextprotocol/node');
    const handler = sdk.createMcpHandler((context) => this.serverFor(sdk, context), {
      onerror: (error) => this.logger.debug({ err: error }, 'An MCP request was refused'),
      // What changes is read with the next list: nothing is held open for it.
      maxSubscriptions: 1,
    });
    return toNodeHandler(handler);
  }

  private serverFor(sdk: Sdk, { authInfo, era }: McpRequestContext): McpServer {
    const { call, left } = authInfo?.extra as RequestFacts;
    const served = new sdk.McpServer(
      { name: 'agent-platform', version: '1.0.0' },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    // The tools of a caller come with their JSON Schemas, and are called by name.
    const { server } = served;
    server.setRequestHandler('tools/list', () =>
      this.guarded(sdk, async () => ({
        tools: (await this.tools.list(call.by)).map(({ listed }) => listed),
      })),
    );
    server.setRequestHandler('tools/call', ({ params }, context) =>
      this.guarded(sdk, async () => {
        const made: McpCall = {
          call,
          idempotencyKey: readKey(sdk, context),
          reply: readReply(sdk, context),
          left,
          waiting: AbortSignal.any([left, this.stopping.signal, AbortSignal.timeout(this.config.mcpWaitMs)]),
        };
        const state = context.mcpReq.requestState<string>() ?? null;
        const outcome = await this.run(sdk, state, params, made);
        return toResult(sdk, outcome, era === 'modern' && showsForms(sdk, context));
      }),
    );
    return served;
  }

  /** Errors of calls are results, which models read. */
  private async run(
    sdk: Sdk,
    state: string | null,
    { name, arguments: input = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
    call: McpCall,
  ): Promise<McpOutcome> {
    try {
      if (state !== null) return await this.tools.resume(call, state);
      const tool = await this.tools.find(call.call.by, name);
      if (tool !== null) return await tool.run(input, call);
    } catch (error) {
      if (error instanceof AppError) return { kind: 'done', text: error.message, isError: true };
      throw error;
    }
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
  }

  /** Errors that callers are not meant to read go to the log alone. */
  private async guarded<T>(sdk: Sdk, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof sdk.ProtocolError) throw error;
      if (error instanceof AppError)
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, error.message);
      this.logger.error({ err: error }, 'An MCP request failed');
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InternalError, 'The request failed');
    }
  }
}

/** The key of the client in `_meta`. */
function readKey(sdk: Sdk, { mcpReq: { _meta: meta } }: ServerContext): string | null {
  const key = meta?.[IDEMPOTENCY_KEY];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY && isText(key)) return key;
  const message = `_meta["${IDEMPOTENCY_KEY}"] must be a text of 1 to ${MAX_KEY} characters`;
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message);
}

/** What the person filled in; null: the client repeats the call without it. */
function readReply(sdk: Sdk, { mcpReq: { inputResponses } }: ServerContext): Reply | null {
  for (const interactionId of Object.keys(inputResponses ?? {})) {
    const response = sdk.inputResponse(inputResponses, interactionId);
    if (response.kind !== 'elicit') continue;
    return { interactionId, values: response.action === 'accept' ? (response.content ?? {}) : null };
  }
  return null;
}

function showsForms(sdk: Sdk, { mcpReq: { envelope } }: ServerContext): boolean {
  const sent: Readonly<Record<string, unknown>> = { ...envelope };
  const capabilities = sent[sdk.CLIENT_CAPABILITIES_META_KEY];
  return isObject(capabilities) && isObject(capabilities.elicitation);
}

function toResult(sdk: Sdk, outcome: McpOutcome, canShowForms: boolean): McpResult {
  switch (outcome.kind) {
    case 'done': {
      const { text, structured, isError = false } = outcome;
      return {
        content: [{ type: 'text', text }],
        isError,
        ...(structured && { structuredContent: structured }),
      };
    }
    case 'working': {
      const { handle, note = 'It goes on.' } = outcome;
      const text = `The work has not ended. ${note} Call ${GET_RESULT} with the handle ${handle} to wait for it.`;
      return { content: [{ type: 'text', text }], structuredContent: { status: 'working', handle } };
    }
    case 'asking': {
      const { handle, interactionId, form } = outcome;
      if (canShowForms) {
        const asked = { message: form.message, requestedSchema: toRequestedSchema(form) };
        return sdk.inputRequired({
          inputRequests: { [interactionId]: sdk.inputRequired.elicit(asked) },
          requestState: handle,
        });
      }
      const text = `The agent asks the person:\n\n${toText(form)}\n\nAsk the person. Then call ${GET_RESULT} with the handle ${handle}, the question ${interactionId}, and the values by field.`;
      const structuredContent = { status: 'asking', handle, question: interactionId };
      return { content: [{ type: 'text', text }], structuredContent };
    }
  }
}
