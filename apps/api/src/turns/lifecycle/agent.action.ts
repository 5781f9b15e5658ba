import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ExecuteResponse } from '@platform/contracts';
import { AgentsService } from '../../agents/agents.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { namedUuid } from '../../infra/runtime/named-uuid.ts';
import type { Action, ActionContext } from '../../tasks/definition/action.registry.ts';
import { checkName, checkValues, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import { SessionBusyError, TurnRunningError } from '../records/turn-state.ts';
import { ExecutionsService } from './executions.service.ts';

/** The pause between attempts to start a turn while it cannot start. */
const BUSY_MS = 1_000;

class AgentStepDto extends StepSchema {
  @ApiProperty({ enum: ['agent'] })
  kind!: 'agent';
  agentId!: string;
  /** May contain templates. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  inputs!: Record<string, unknown>;
}

/** Executes an agent as the owner of the task. The output is the response of the execution. What it asks is in the inbox of the owner. */
@Injectable()
@RunsSteps<AgentStepDto>({
  kind: 'agent',
  schema: AgentStepDto,
  fields: { agentId: checkName, inputs: checkValues },
  input: 'inputs',
  acts: false,
  hasEffects: () => true,
  output: ['answer', 'agent_id', 'execution_time', 'token_usage'] satisfies (keyof ExecuteResponse)[],
  codeName: 'platform.agents.execute',
})
export class AgentAction implements Action<AgentStepDto> {
  constructor(
    private readonly agents: AgentsService,
    private readonly executions: ExecutionsService,
  ) {}

  async validate(
    _sql: Sql,
    { owner }: { spaceId: string; owner: UserPrincipal },
    { agentId }: AgentStepDto,
    path: string,
  ): Promise<string[]> {
    try {
      await this.agents.getInvocable(owner, agentId);
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'NOT_FOUND' && error.code !== 'FORBIDDEN'))
        throw error;
      return [`${path}.agentId must name an agent that the owner of the task can call: ${error.message}`];
    }
  }

  example(_spaceId: string, { agentId }: AgentStepDto): ExecuteResponse {
    const token_usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 };
    return { answer: 'An example of an answer', agent_id: agentId, execution_time: 0, token_usage };
  }

  async run(context: ActionContext<AgentStepDto>): Promise<ExecuteResponse | StepWait> {
    const { owner: caller, step, stepKey, attempt, signal, mayWait: mayAsk } = context;
    const { agentId, inputs } = step;
    const execution = {
      caller,
      agentId,
      inputs,
      // A repeated call finds the turn of the first one.
      turnId: namedUuid(`turn of step ${stepKey}`),
      isRepeated: attempt > 1,
      source: 'task' as const,
      mayAsk,
      signal,
    };
    for (;;) {
      try {
        const result = await this.executions.run(execution);
        if (result instanceof StepWait) return result;
        const { answer, execution_time, token_usage } = result;
        return { answer, agent_id: agentId, execution_time, token_usage };
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
      await delay(BUSY_MS, undefined, { signal });
    }
  }
}

/**
 * Whether the user runs as many turns as allowed, the session runs another turn, or this turn runs: its user has answered it, or
 * it belongs to a process that was taken for dead.
 */
function isTemporary(error: unknown): boolean {
  if (error instanceof TurnRunningError || error instanceof SessionBusyError) return true;
  return error instanceof AppError && error.code === 'RATE_LIMITED';
}
