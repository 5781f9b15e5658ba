import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Step, ToolInvocation, ToolStep } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { ActionRegistry, type Action, type ActionContext } from '../../tasks/definition/action.registry.ts';
import { ToolDirectoryService } from './tool-directory.service.ts';

/** Steps of kind `tool`: call a method as the owner of the task. A response with any status is an output. */
@Injectable()
export class ToolAction implements Action, OnModuleInit {
  readonly kind = 'tool';

  constructor(
    private readonly actions: ActionRegistry,
    private readonly directory: ToolDirectoryService,
  ) {}

  onModuleInit(): void {
    this.actions.register(this);
  }

  async validate(sql: Sql, { spaceId }: { spaceId: string }, step: Step, path: string): Promise<string[]> {
    const { toolId, method } = asToolStep(step);
    const [tool] = await this.directory.findMissing(sql, spaceId, [{ toolId, methods: null }]);
    if (tool !== null) return [`${path}.toolId must be the id of a tool of the space`];
    const [missing] = await this.directory.findMissing(sql, spaceId, [{ toolId, methods: [method] }]);
    return missing === null ? [] : [`${path}.method must be the name of a method of the tool`];
  }

  /** The headers of a response are for people who try a method. A step does not store them. */
  async run({
    spaceId,
    owner,
    runId,
    step,
    signal,
  }: ActionContext): Promise<Omit<ToolInvocation, 'response'>> {
    const { toolId, method, input } = asToolStep(step);
    const caller = { spaceId, userId: owner.userId, causationRunId: runId };
    const { response: _, ...result } = await this.directory.invoke(caller, toolId, method, input, { signal });
    return result;
  }
}

function asToolStep(step: Step): ToolStep {
  if (step.kind !== 'tool') throw new Error(`Step ${step.id} is of kind ${step.kind}`);
  return step;
}
