import { Injectable } from '@nestjs/common';
import type { ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { isObject } from '../../infra/runtime/json.ts';
import type { McpCall, McpProtocol } from '../work/mcp-tool.ts';
import { WorkService } from '../work/work.service.ts';
import { followsWork, readReplies, TASKS_EXTENSION } from './request-meta.ts';
import { toDetailedTask } from './results.ts';

type Sdk = typeof import('@modelcontextprotocol/server');

const EXTENSIONS = { [TASKS_EXTENSION]: {} };

const TASK_PARAMS: StandardSchemaV1<unknown, { taskId: string }> = {
  '~standard': {
    version: 1,
    vendor: 'platform',
    validate: (value) =>
      isObject(value) && typeof value.taskId === 'string'
        ? { value: { taskId: value.taskId } }
        : { issues: [{ message: 'taskId must be a text', path: ['taskId'] }] },
  },
};

/** The extension `io.modelcontextprotocol/tasks` of the revision 2026-07-28: a task is a turn or a run, under its handle. */
@Injectable()
export class TasksExtensionService {
  constructor(private readonly work: WorkService) {}

  /** `guard` makes errors of the protocol of those that the work throws. */
  serve(
    sdk: Sdk,
    server: McpProtocol,
    callOf: (context: ServerContext) => McpCall,
    guard: <T>(work: () => Promise<T>) => Promise<T>,
  ): void {
    server.registerCapabilities({ extensions: EXTENSIONS });
    const handle = (
      method: string,
      serve: (taskId: string, call: McpCall, context: ServerContext) => Promise<Record<string, unknown>>,
    ) =>
      server.setRequestHandler(method, { params: TASK_PARAMS }, ({ taskId }, context) =>
        guard(async () => {
          if (!followsWork(sdk, context))
            throw new sdk.MissingRequiredClientCapabilityError({
              requiredCapabilities: { extensions: EXTENSIONS },
            });
          return serve(taskId, callOf(context), context);
        }),
      );
    handle('tasks/get', async (taskId, call) => toDetailedTask(sdk, await this.work.describe(taskId, call)));
    handle('tasks/update', async (taskId, call, context) => {
      await this.work.answer(taskId, call, readReplies(sdk, context));
      return {};
    });
    handle('tasks/cancel', async (taskId, call) => {
      await this.work.cancel(taskId, call);
      return {};
    });
  }
}
