import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { mayManage } from '../../tasks/definition/task-access.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { RunsService } from '../../tasks/history/runs.service.ts';
import { checkRunInputs } from '../../tasks/runs/run-inputs.ts';
import type { NamedOffer } from '../offers/mcp-offers.entity.ts';
import type { McpCall, McpOutcome, McpTool } from '../work/mcp-tool.ts';
import { RunWorkService } from '../work/run-work.service.ts';

const OUTPUT = {
  type: 'object',
  properties: { status: { type: 'string' }, handle: { type: 'string' }, output: {} },
  required: ['status', 'handle'],
} as const;

/** Tasks of type MANUAL as tools. A call is a run, which goes on if its client leaves. */
@Injectable()
export class TaskToolsService {
  constructor(
    private readonly database: Database,
    private readonly tasks: TaskDirectoryService,
    private readonly runs: RunsService,
    private readonly work: RunWorkService,
  ) {}

  /** The offered tasks that the caller may run. */
  async list(caller: UserPrincipal, offers: readonly NamedOffer[]): Promise<McpTool[]> {
    const ids = offers.map(({ id }) => id);
    const facts = await this.tasks.find(this.database, caller.spaceId, ids);
    return offers.flatMap(({ id, name }) => {
      const task = facts.get(id);
      const isOffered = task?.exists && task.type === 'MANUAL' && task.enabled && mayManage(caller, task);
      return isOffered ? [this.toTool(name, task)] : [];
    });
  }

  private toTool(name: string, task: { id: string; name: string }): McpTool {
    return {
      listed: {
        name,
        title: task.name,
        description: `Runs the task ${task.name}. The arguments are its inputs.`,
        inputSchema: { type: 'object', additionalProperties: true },
        outputSchema: OUTPUT,
      },
      run: (input, call) => this.start(task.id, input, call),
    };
  }

  private async start(taskId: string, inputs: Record<string, unknown>, call: McpCall): Promise<McpOutcome> {
    const problems = checkRunInputs(inputs, 'arguments');
    if (problems.length > 0) throw invalidFor(problems);
    const run = await this.runs.start(call.call, taskId, inputs, call.idempotencyKey);
    if (!call.followsWork) return this.work.wait(run, call);
    return { kind: 'started', work: await this.work.describe({ kind: 'run', runId: run.id }, call) };
  }
}
