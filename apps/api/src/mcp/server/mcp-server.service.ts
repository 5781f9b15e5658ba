import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { AuthInfo, McpRequestContext, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../../auth/credentials/open-responses.registry.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { McpContentService } from '../content/mcp-content.service.ts';
import { GET_RESULT } from '../offers/tool-name.ts';
import { McpToolsService } from '../tools/mcp-tools.service.ts';
import type { McpCall, McpOutcome, McpProtocol } from '../work/mcp-tool.ts';
import { WorkService } from '../work/work.service.ts';
import { withProgress } from './progress.ts';
import { followsWork, readKey, readReplies, readTraceparent, showsForms } from './request-meta.ts';
import { toResult } from './results.ts';
import { TasksExtensionService } from './tasks-extension.service.ts';

type Sdk = typeof import('@modelcontextprotocol/server');
type NodeHandler = (req: Request, res: Response, body: unknown) => Promise<void>;

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
    private readonly work: WorkService,
    private readonly tasks: TasksExtensionService,
    private readonly content: McpContentService,
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
    const facts = authInfo?.extra as RequestFacts;
    const served = new sdk.McpServer(
      { name: 'agent-platform', version: '1.0.0' },
      { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
    );
    const { server } = served;
    const isModern = era === 'modern';
    const callOf = (context: ServerContext) => this.toCall(sdk, facts, context);
    const guard = <T>(work: () => Promise<T>) => this.guarded(sdk, work);
    this.serveTools(sdk, server, facts.call, callOf, isModern);
    this.content.serve(sdk, server, facts.call.by, guard);
    if (isModern) this.tasks.serve(sdk, server, callOf, guard);
    return served;
  }

  /** The tools of a caller come with their JSON Schemas, and are called by name. */
  private serveTools(
    sdk: Sdk,
    server: McpProtocol,
    { by }: AuditedCall,
    callOf: (context: ServerContext) => McpCall,
    isModern: boolean,
  ): void {
    server.setRequestHandler('tools/list', () =>
      this.guarded(sdk, async () => ({ tools: (await this.tools.list(by)).map(({ listed }) => listed) })),
    );
    server.setRequestHandler('tools/call', ({ params }, context) =>
      this.guarded(sdk, async () => {
        const made = callOf(context);
        const state = context.mcpReq.requestState<string>() ?? null;
        const outcome = await withProgress(context, () => this.run(sdk, state, params, made));
        return toResult(sdk, outcome, isModern && showsForms(sdk, context));
      }),
    );
  }

  private toCall(sdk: Sdk, { call, left }: RequestFacts, context: ServerContext): McpCall {
    return {
      call,
      idempotencyKey: readKey(sdk, context),
      traceparent: readTraceparent(sdk, context),
      reply: readReplies(sdk, context)[0] ?? null,
      followsWork: followsWork(sdk, context),
      left,
      waiting: AbortSignal.any([left, this.stopping.signal, AbortSignal.timeout(this.config.mcpWaitMs)]),
    };
  }

  /** Errors of calls are results, which models read. */
  private async run(
    sdk: Sdk,
    state: string | null,
    { name, arguments: input = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
    call: McpCall,
  ): Promise<McpOutcome> {
    try {
      if (state !== null) return await this.work.resume(state, call);
      const tool = await this.tools.find(call.call.by, name);
      if (tool !== null) return await tool.run(input, call);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The state is the client's to keep, and nothing that a model could correct.
      if (state !== null && error.code === 'NOT_FOUND') throw error;
      return { kind: 'done', text: error.message, isError: true };
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
