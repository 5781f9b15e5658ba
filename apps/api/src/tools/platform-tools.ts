import { Injectable } from '@nestjs/common';
import type { ToolInvocation } from '@platform/contracts';
import { AppError, notFound } from '../infra/http/app-error.ts';
import { GuardedHttp } from '../infra/http/guarded-http.ts';
import type { BuiltinCall, BuiltinTool } from './builtin-tool.ts';
import { SpeechConfigurations } from './speech-configurations.ts';
import { ToolError } from './tool-error.ts';

/** Who calls, and what the call may use. */
export type PlatformCall = Pick<BuiltinCall, 'spaceId' | 'userId' | 'agent' | 'attachments' | 'signal'>;

/** Calls the tools of the platform. */
@Injectable()
export class PlatformTools {
  constructor(
    private readonly http: GuardedHttp,
    private readonly speech: SpeechConfigurations,
  ) {}

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
      const work = method.run(input, {
        ...call,
        now: new Date(),
        configuration,
        warn: (warning) => warnings.push(warning),
        assertReachable: (url) => this.http.assertReachable(url),
      });
      const output = (await untilAborted(work, call.signal)) ?? null;
      return {
        status: 200,
        output,
        durationMs: Math.round(performance.now() - started),
        cached: false,
        warnings,
      };
    } catch (error) {
      if (error instanceof ToolError) throw new AppError('TOOL_ERROR', error.message, { cause: error });
      throw error;
    }
  }
}

/** Stops waiting when the signal aborts: not every method looks at it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  // After the abort, its outcome is of no interest.
  work.catch(() => undefined);
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
