import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ActionRegistry, type Action, type ActionContext } from '../definition/action.registry.ts';
import { CodeCallsRegistry } from './code-calls.registry.ts';
import { SandboxPool } from '../sandbox/sandbox-pool.ts';
import { CodeFailed } from '../sandbox/sandbox-process.ts';
import { StepError } from '../runs/step-error.ts';

/** Steps of kind `code`: JavaScript in a sandbox. */
@Injectable()
export class CodeAction implements Action, OnModuleInit, OnApplicationShutdown {
  readonly kind = 'code';

  constructor(
    private readonly actions: ActionRegistry,
    private readonly pool: SandboxPool,
    private readonly calls: CodeCallsRegistry,
  ) {}

  onModuleInit(): void {
    this.actions.register(this);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  /** The source refers to nothing that could be checked before it runs. */
  validate(): Promise<string[]> {
    return Promise.resolve([]);
  }

  async run(context: ActionContext): Promise<unknown> {
    const { step, signal } = context;
    if (step.kind !== 'code') throw new Error(`Step ${step.id} is not code`);
    let calls = 0;
    try {
      const json = await this.pool.run({
        owner: context.owner.userId,
        source: step.source,
        context: JSON.stringify(describe(context)),
        signal,
        log: (line) => context.log(line),
        call: (kind, request) => this.calls.call(context, ++calls, kind, JSON.parse(request)),
        toCallError: (error) => this.calls.describe(error),
      });
      return json === null ? null : (JSON.parse(json) as unknown);
    } catch (error) {
      if (error instanceof CodeFailed) throw new StepError('STEP_FAILED', error.message, { cause: error });
      throw error;
    }
  }
}

/** What the code sees as `context`. Only runs that an event started have a trigger, which no input can replace. */
function describe({ runId, attempt, inputs, trigger, steps }: ActionContext): object {
  const { trigger: _, ...given } = inputs;
  return {
    execution: { id: runId, attempt, inputs: trigger === null ? given : { ...given, trigger } },
    steps,
  };
}
