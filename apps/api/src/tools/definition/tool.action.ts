import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ToolInvocation } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import type { Action, ActionContext } from '../../tasks/definition/action.registry.ts';
import { checkName, checkValues, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { ToolDirectoryService } from './tool-directory.service.ts';

class ToolStepDto extends StepSchema {
  @ApiProperty({ enum: ['tool'] })
  kind!: 'tool';
  toolId!: string;
  method!: string;
  /** May contain templates. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  input!: Record<string, unknown>;
}

/** Calls a method as the owner of the task. A response with any status is an output. */
@Injectable()
@RunsSteps<ToolStepDto>({
  kind: 'tool',
  schema: ToolStepDto,
  fields: { toolId: checkName, method: checkName, input: checkValues },
  input: 'input',
  codeName: 'platform.tools.invoke',
})
export class ToolAction implements Action<ToolStepDto> {
  constructor(private readonly directory: ToolDirectoryService) {}

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

  /** The headers of a response are for people who try a method. A step does not store them. */
  async run(context: ActionContext<ToolStepDto>): Promise<Omit<ToolInvocation, 'response'>> {
    const { spaceId, owner, runId, step, signal } = context;
    const { toolId, method, input } = step;
    const caller = { spaceId, userId: owner.userId, causationRunId: runId };
    const { response: _, ...result } = await this.directory.invoke(caller, toolId, method, input, { signal });
    return result;
  }
}
