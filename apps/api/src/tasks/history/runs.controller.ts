import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import {
  RetryPreviewDto,
  RetryPreviewQueryDto,
  RetryRunDto,
  RunDto,
  RunPageDto,
  RunQueryDto,
  RunTaskDto,
  TaskRunQueryDto,
} from './runs.dto.ts';
import { RunListsService } from './run-lists.service.ts';
import { RunsService } from './runs.service.ts';

@Access('member', 'use', 'manage')
@Controller()
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly lists: RunListsService,
  ) {}

  /** Starts a run of a task, also if the task is disabled. The run acts as the owner of the task. */
  @Post('tasks/:id/run')
  @HttpCode(202)
  @BodyLimit('values')
  start(@Audited() call: AuditedCall, @Param('id') id: string, @Body() body: RunTaskDto): Promise<RunDto> {
    return this.runs.start(call, id, body.inputs ?? {});
  }

  /** Lists the runs of a task, newest first: without inputs, payload, steps, and attempts, which `GET /runs/{id}` returns. */
  @Get('tasks/:id/runs')
  listOfTask(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Query() query: TaskRunQueryDto,
  ): Promise<RunPageDto> {
    return this.lists.listOfTask(caller, id, query);
  }

  /** Lists the runs of the caller's tasks, for admins of all tasks of the space, in the same way. */
  @Get('runs')
  list(@Caller() caller: UserPrincipal, @Query() query: RunQueryDto): Promise<RunPageDto> {
    return this.lists.list(caller, query);
  }

  /** Returns a run with its steps and attempts. */
  @Get('runs/:id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<RunDto> {
    return this.runs.get(caller, id);
  }

  /** Cancels a run: at once while it is queued, soon while it runs. Does nothing to a run that has ended. */
  @Post('runs/:id/cancel')
  @HttpCode(202)
  cancel(@Audited() call: AuditedCall, @Param('id') id: string): Promise<RunDto> {
    return this.runs.cancel(call, id);
  }

  /** Lists what a retry would execute again, and what it would keep. It is refused like the retry itself. */
  @Get('runs/:id/retry')
  previewRetry(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Query() query: RetryPreviewQueryDto,
  ): Promise<RetryPreviewDto> {
    return this.runs.previewRetry(caller, id, query);
  }

  /**
   * Adds an attempt to a run that is FAILED, CANCELLED, or INTERRUPTED. It continues at the step that failed: what has ended is not
   * executed again.
   */
  @Post('runs/:id/retry')
  @HttpCode(202)
  retry(@Audited() call: AuditedCall, @Param('id') id: string, @Body() body: RetryRunDto): Promise<RunDto> {
    return this.runs.retry(call, id, body);
  }
}
