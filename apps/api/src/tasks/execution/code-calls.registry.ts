import { Injectable, Logger } from '@nestjs/common';
import type { Step } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { ActionRegistry, type ActionContext } from '../definition/action.registry.ts';
import { formatProblem, unknownKeys } from '../definition/problems.ts';
import { MAX_VALUE_BYTES } from '../runs/run-budget.ts';
import { describeError } from './run-outcome.ts';
import { StepError, TOO_LARGE } from '../runs/step-error.ts';
import type { CallError } from '../sandbox/messages.ts';
import { findStepKind, type StepDescriptor } from '../definition/step-kinds.ts';
import { checkFields } from '../definition/workflow.ts';

/** What the code of a task can call: the actions of other steps, each as the owner of the task. */
@Injectable()
export class CodeCallsRegistry {
  private readonly logger = new Logger(CodeCallsRegistry.name);

  constructor(
    private readonly database: Database,
    private readonly actions: ActionRegistry,
  ) {}

  /** Returns the output of the action as JSON. The keys of the context are those of the call. */
  async call(context: ActionContext, kind: string, request: unknown): Promise<string> {
    const called = findStepKind(kind);
    const name = called?.codeName;
    const action = this.actions.get(kind);
    if (called === null || name === undefined || action === null) {
      throw new StepError('STEP_UNAVAILABLE', `${name ?? kind} is not available`);
    }
    const { owner, spaceId } = context;
    const step = toStep(context.step.id, called, request, name);
    const problems = await action.validate?.(this.database, { spaceId, owner }, step, name);
    if (problems && problems.length > 0) throw invalidFor(problems);
    const { acts, hasEffects } = await this.actions.findEffects(spaceId, step);
    const simulation = await context.simulate?.(step, hasEffects);
    if (simulation) return format(simulation.output, name);
    if (acts) await context.markActing();
    return format(await action.run({ ...context, step }), name);
  }

  /** What the code learns of a failed call. */
  describe(error: unknown): CallError {
    const described = describeError(error);
    if (described.code === 'SERVER_ERROR')
      this.logger.error({ err: error }, 'A call of a task failed unexpectedly');
    const facts = error instanceof StepError ? withoutLarge(error.facts) : {};
    return { ...facts, ...described };
  }
}

/** Texts that look like templates are values: they are not expanded. */
function toStep(id: string, called: StepDescriptor, request: unknown, name: string): Step {
  if (!isObject(request)) throw invalidFor([`${name} must receive an object`]);
  const problems = [
    ...unknownKeys(request, Object.keys(called.fields), [name]),
    ...checkFields(called, request, [name]),
  ];
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
  return { ...request, id, kind: called.kind } as Step;
}

/** What code can receive: a result that is larger is an error as well. */
function withoutLarge(facts: Record<string, unknown>): Record<string, unknown> {
  const small = Object.entries(facts).filter(([, value]) => JSON.stringify(value).length <= MAX_VALUE_BYTES);
  return Object.fromEntries(small);
}

function format(output: unknown, name: string): string {
  const json = JSON.stringify(output ?? null);
  if (json.length > MAX_VALUE_BYTES) {
    throw new StepError(TOO_LARGE, `The result of ${name} has more than ${MAX_VALUE_BYTES} bytes`);
  }
  return json;
}
