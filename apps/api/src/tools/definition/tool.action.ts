import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ToolInvocation } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import type { Action, ActionContext, StepEffects } from '../../tasks/definition/action.registry.ts';
import { checkGiven, checkName, checkValues, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { exampleOf } from '../../infra/schemas/schema-example.ts';
import { StepError } from '../../tasks/runs/step-error.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import { CallPause } from '../calls/call-pause.ts';
import { policyProblem, toPolicy } from '../policies/call-policy.ts';
import { CallPolicyRequestDto } from '../policies/call-policy.schema.ts';
import { StepPausesService, type DecidedStep } from '../policies/step-pauses.service.ts';
import { ToolDirectoryService } from './tool-directory.service.ts';

const MAX_ACCEPTED = 50;
/** Of a call that fails before it is made. */
const NONE = { acts: false, isRepeatable: true };
const MAX_QUOTED_BYTES = 500;

type AcceptedStatus = number | '4xx' | '5xx';

class ToolStepDto extends StepSchema {
  @ApiProperty({ enum: ['tool'] })
  kind!: 'tool';
  toolId!: string;
  method!: string;
  /** May contain templates. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  input!: Record<string, unknown>;
  /** Error statuses with which the step succeeds: from 400 to 599, `4xx`, and `5xx`. Default: none. */
  @ApiPropertyOptional({
    type: 'array',
    maxItems: MAX_ACCEPTED,
    items: {
      anyOf: [
        { type: 'integer', minimum: 400, maximum: 599 },
        { type: 'string', enum: ['4xx', '5xx'] },
      ],
    },
  })
  acceptStatus?: AcceptedStatus[];
  /**
   * Whether a person approves the call first. Makes stricter what an admin has set for the method, or replaces its default. The
   * owner of the task is the requester.
   */
  @ApiPropertyOptional({ type: () => CallPolicyRequestDto, nullable: true })
  policy?: CallPolicyRequestDto | null;
}

function checkAccepted(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const isValid = Array.isArray(value) && value.length <= MAX_ACCEPTED && value.every(isErrorStatus);
  return isValid
    ? null
    : `must be an array of at most ${MAX_ACCEPTED} statuses: integers from 400 to 599, 4xx, or 5xx`;
}

function isErrorStatus(value: unknown): value is AcceptedStatus {
  if (value === '4xx' || value === '5xx') return true;
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;
}

/** Calls a method as the owner of the task. An error status fails the step, unless the step accepts it. */
@Injectable()
@RunsSteps<ToolStepDto>({
  kind: 'tool',
  schema: ToolStepDto,
  fields: {
    toolId: checkName,
    method: checkName,
    input: checkValues,
    acceptStatus: checkAccepted,
    policy: checkGiven(policyProblem),
  },
  input: 'input',
  acts: true,
  output: ['status', 'output', 'warnings', 'cached', 'durationMs'] satisfies (keyof ToolInvocation)[],
  codeName: 'platform.tools.invoke',
})
export class ToolAction implements Action<ToolStepDto> {
  constructor(
    private readonly directory: ToolDirectoryService,
    private readonly pauses: StepPausesService,
  ) {}

  async validate(
    sql: Sql,
    { spaceId }: { spaceId: string },
    { toolId, method }: ToolStepDto,
    path: string,
  ): Promise<string[]> {
    const [tool] = await this.directory.findMissing(sql, spaceId, [{ toolId, methods: null }]);
    if (tool !== null) return [`${path}.toolId must be the id of a tool of the space`];
    const [missing] = await this.directory.findMissing(sql, spaceId, [{ toolId, methods: [method] }]);
    return missing === null ? [] : [`${path}.method must be the name of a method of the tool`];
  }

  async findEffects(spaceId: string, { toolId, method, input }: ToolStepDto): Promise<StepEffects> {
    const { acts, isRepeatable } = (await this.directory.findEffects(spaceId, toolId, method, input)) ?? NONE;
    return { hasEffects: acts, acts: !isRepeatable };
  }

  async example(spaceId: string, { toolId, method }: ToolStepDto): Promise<object> {
    const output = exampleOf(await this.directory.findOutputSchema(spaceId, toolId, method));
    return { status: 200, output, warnings: [], cached: false, durationMs: 0 };
  }

  /** The headers of a response are for people who try a method. A step does not store them. */
  async run(context: ActionContext<ToolStepDto>): Promise<Omit<ToolInvocation, 'response'> | StepWait> {
    try {
      return await this.call(context);
    } catch (error) {
      if (error instanceof CallPause) return this.pauses.wait(context, error.need);
      throw error;
    }
  }

  private async call(context: ActionContext<ToolStepDto>): Promise<Omit<ToolInvocation, 'response'>> {
    const { spaceId, owner, runId, step, signal, effectKey, mayWait: mayPause } = context;
    const { toolId, method, acceptStatus, policy } = step;
    const caller = { spaceId, userId: owner.userId, causationRunId: runId };
    // Code makes calls of other methods under keys of its own, and waits for none.
    const decided: DecidedStep = mayPause
      ? await this.pauses.decide(context, step.input)
      : { input: step.input };
    const { input, consent, answer } = decided;
    const { response: _, ...result } = await this.directory.invoke(caller, toolId, method, input, {
      signal,
      effectKey,
      mayPause,
      placeId: runId,
      ...(policy && { rule: { rule: 'step' as const, policy: toPolicy(policy) } }),
      ...(consent && { consent }),
      ...(answer && { answer }),
    });
    const { status, output: body } = result;
    if (status < 400 || isAccepted(status, acceptStatus ?? [])) return result;
    const message = `The tool responded with status ${status}${quote(body)}`;
    throw new StepError('TOOL_STATUS', message, { output: result, facts: { status, body } });
  }
}

function isAccepted(status: number, accepted: readonly AcceptedStatus[]): boolean {
  const group = status < 500 ? '4xx' : '5xx';
  return accepted.some((one) => one === status || one === group);
}

/** The beginning of a body, for people. */
function quote(body: unknown): string {
  if (body === null || body === '') return '';
  return `: ${shortened(typeof body === 'string' ? body : JSON.stringify(body), MAX_QUOTED_BYTES)}`;
}
