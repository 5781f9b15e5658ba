import { Injectable } from '@nestjs/common';
import type { ToolInvocation } from '@platform/contracts';
import { AppError, notFound } from '../../infra/errors/app-error.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import { runUnlessAborted } from '../../infra/runtime/until-aborted.ts';
import { WebSearch } from '../../knowledge/web/web-search.ts';
import type { BuiltinCall, BuiltinTool } from './builtin-tool.ts';
import { SpeechConfigurationsService } from '../speech/speech-configurations.service.ts';
import { ToolError } from '../calls/tool-error.ts';
import { webSearchTool } from './web-search-tool.ts';

/** Who calls, and what the call may use. */
export type PlatformCall = Pick<
  BuiltinCall,
  'spaceId' | 'userId' | 'agent' | 'answer' | 'attachments' | 'signal' | 'explainBlocked'
>;

/** Calls the tools of the platform. */
@Injectable()
export class PlatformToolsService {
  constructor(
    private readonly http: GuardedHttp,
    private readonly speech: SpeechConfigurationsService,
    private readonly web: WebSearch,
  ) {}

  /** Whether the operator has set up what the tool needs. Otherwise it is neither listed nor offered. */
  isAvailable(tool: BuiltinTool): boolean {
    return tool !== webSearchTool || this.web.isConfigured;
  }

  /** Throws NOT_FOUND for an unknown method, TOOL_ERROR, and the reason of the signal if it aborts. */
  async invoke(
    tool: BuiltinTool,
    methodName: string,
    input: Record<string, unknown>,
    call: PlatformCall,
  ): Promise<ToolInvocation> {
    const method = tool.methods.find(({ name }) => name === methodName);
    if (method === undefined) throw notFound(`The tool ${tool.name} has no method ${methodName}`);
    const started = performance.now();
    const warnings: string[] = [];
    const configuration = tool.kind === 'speech' ? { ...(await this.speech.load(call.spaceId)) } : {};
    try {
      const run = () =>
        method.run(input, {
          ...call,
          now: new Date(),
          configuration,
          warn: (warning) => warnings.push(warning),
          searchWeb: (query, limit, signal) => this.web.search(query, limit, signal),
          fetch: (url, request) => this.http.fetch(url, request),
        });
      const output = (await runUnlessAborted(call.signal, run)) ?? null;
      return {
        status: 200,
        output,
        durationMs: Math.round(performance.now() - started),
        cached: false,
        warnings,
        response: null,
      };
    } catch (error) {
      if (error instanceof ToolError) throw new AppError('TOOL_ERROR', error.message, { cause: error });
      throw error;
    }
  }
}
