import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { Action, StartingContext } from '../definition/action.registry.ts';
import { RunsSteps } from '../definition/step-kinds.ts';
import { StepSchema } from '../definition/step.schema.ts';
import { CodeCallKeys } from '../keys/code-call-keys.ts';
import { CodeCallsRegistry } from './code-calls.registry.ts';
import { SandboxPool } from '../sandbox/sandbox-pool.ts';
import { CodeFailed } from '../sandbox/sandbox-process.ts';
import { StepError } from '../runs/step-error.ts';

const MAX_SLEEP_MS = 24 * 60 * 60 * 1_000;
const MAX_SOURCE_BYTES = 64 * 1024;

class CodeStepDto extends StepSchema {
  @ApiProperty({ enum: ['code'] })
  kind!: 'code';

  /** JavaScript: the body of an async function, at most 64 KB. `return` sets the output of the step. */
  source!: string;
}

function checkSource(value: unknown): string | null {
  if (!isText(value)) return 'must be a text without U+0000 and lone surrogates';
  return Buffer.byteLength(value) > MAX_SOURCE_BYTES ? `must have at most ${MAX_SOURCE_BYTES} bytes` : null;
}

/** JavaScript in a sandbox. The source refers to nothing that could be checked before it runs. */
@Injectable()
@RunsSteps<CodeStepDto>({
  kind: 'code',
  schema: CodeStepDto,
  fields: { source: checkSource },
  input: null,
  acts: false,
  startsItself: true,
})
export class CodeAction implements Action<CodeStepDto>, OnApplicationShutdown {
  constructor(
    private readonly pool: SandboxPool,
    private readonly calls: CodeCallsRegistry,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  async run(context: StartingContext<CodeStepDto>): Promise<unknown> {
    const { step, signal } = context;
    const keys = new CodeCallKeys(context);
    try {
      const json = await this.pool.run({
        owner: context.ownerUserId,
        source: step.source,
        context: JSON.stringify(describe(context)),
        signal,
        log: (line) => context.log(line),
        call: async (kind, request) => {
          if (kind === 'sleep') return sleep(JSON.parse(request), signal);
          const named = keys.next(kind, request);
          const call = { ...context, owner: await context.start(), mayWait: false, ...named };
          return this.calls.call(call, kind, JSON.parse(request));
        },
        toCallError: (error) => this.calls.describe(error),
      });
      return json === null ? null : (JSON.parse(json) as unknown);
    } catch (error) {
      if (error instanceof CodeFailed) throw new StepError('STEP_FAILED', error.message, { cause: error });
      throw error;
    }
  }
}

/** Costs no processor time; the time limit of the run ends it. */
async function sleep(request: unknown, signal: AbortSignal): Promise<string> {
  const ms = isObject(request) ? request.ms : null;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_SLEEP_MS))
    throw invalidFor([`platform.sleep must receive a number of milliseconds from 0 to ${MAX_SLEEP_MS}`]);
  await delay(ms, undefined, { signal });
  return 'null';
}

/** What the code sees as `context`. Only runs that an event started have a trigger, which no input can replace. */
function describe({
  runId,
  attempt,
  inputs,
  trigger,
  steps,
  item,
  index,
}: StartingContext<CodeStepDto>): object {
  const { trigger: _, ...given } = inputs;
  return {
    execution: { id: runId, attempt, inputs: trigger === null ? given : { ...given, trigger } },
    steps,
    ...(index !== undefined && { item, index }),
  };
}
