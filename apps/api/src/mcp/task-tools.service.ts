import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Run, RunStatus } from '@platform/contracts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { conflict, invalidFor } from '../infra/errors/app-error.ts';
import { mayManage } from '../tasks/definition/task-access.ts';
import { TaskDirectoryService } from '../tasks/definition/task-directory.service.ts';
import { RunsService } from '../tasks/history/runs.service.ts';
import { checkRunInputs } from '../tasks/runs/run-inputs.ts';
import { formatHandle, type Handle } from './handle.ts';
import type { NamedOffer } from './mcp-offers.entity.ts';
import type { McpCall, McpOutcome, McpTool } from './mcp-tool.ts';

type RunHandle = Extract<Handle, { kind: 'run' }>;

const UNFINISHED: readonly RunStatus[] = ['QUEUED', 'RUNNING', 'WAITING'];
/** How often a run is looked at: more often at first. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
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

  /** Waits for a run. */
  async resume({ runId }: RunHandle, call: McpCall): Promise<McpOutcome> {
    if (call.reply !== null) throw conflict('The questions of a run are answered in the inbox');
    return this.wait(await this.runs.get(call.call.by, runId), call);
  }

  async cancel({ runId }: RunHandle, { call }: McpCall): Promise<McpOutcome> {
    const { status, cancelRequested } = await this.runs.cancel(call, runId);
    const isStopping = UNFINISHED.includes(status) && cancelRequested;
    return { kind: 'done', text: isStopping ? 'The run is being canceled.' : `The run is ${status}.` };
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
    if (call.idempotencyKey !== null)
      throw conflict('A task takes no idempotency key: keep the handle of the call instead');
    const problems = checkRunInputs(inputs, 'arguments');
    if (problems.length > 0) throw invalidFor(problems);
    return this.wait(await this.runs.start(call.call, taskId, inputs), call);
  }

  private async wait(first: Run, { call: { by }, waiting }: McpCall): Promise<McpOutcome> {
    let run = first;
    for (
      let pause = MIN_PAUSE_MS;
      UNFINISHED.includes(run.status);
      pause = Math.min(2 * pause, MAX_PAUSE_MS)
    ) {
      const handle = formatHandle({ kind: 'run', runId: run.id });
      if (run.status === 'WAITING' && run.questions.length > 0)
        return { kind: 'working', handle, note: 'It waits for an answer in the inbox of the space.' };
      await delay(pause, undefined, { signal: waiting }).catch(() => undefined);
      if (waiting.aborted) return { kind: 'working', handle };
      run = await this.runs.get(by, run.id);
    }
    return toOutcome(run);
  }
}

function toOutcome({ id, status, steps, error }: Run): McpOutcome {
  const last = steps.findLast(({ scope, id: step }) => scope === step);
  const output = status === 'SUCCEEDED' ? (last?.output ?? null) : null;
  const handle = formatHandle({ kind: 'run', runId: id });
  return {
    kind: 'done',
    text:
      status === 'SUCCEEDED'
        ? textOf(output)
        : `The run is ${status}: ${error?.message ?? 'no reason is known'}`,
    isError: status !== 'SUCCEEDED',
    structured: { status, handle, ...(status === 'SUCCEEDED' && { output }) },
  };
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
