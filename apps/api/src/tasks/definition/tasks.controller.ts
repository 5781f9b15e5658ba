import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  CancelledRunsDto,
  CancelTaskRunsDto,
  ChangeTaskOwnerDto,
  CreateTaskDto,
  SchedulePreviewDto,
  SchedulePreviewRequestDto,
  TaskDto,
  TaskPageDto,
  TaskQueryDto,
  UpdateTaskDto,
} from './tasks.dto.ts';
import { TasksService } from './tasks.service.ts';

@Access('member', 'manage')
@Controller('tasks')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  /** Lists the caller's own tasks, for admins all tasks of the space, newest first unless `sort` says otherwise. */
  @Access('member', 'use', 'manage')
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: TaskQueryDto): Promise<TaskPageDto> {
    return this.tasks.list(caller, query);
  }

  /** Creates a task. The caller owns it, and its runs act as the caller. Steps of kind `emit` need an admin. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() body: CreateTaskDto): Promise<TaskDto> {
    return this.tasks.create(call, body);
  }

  /** Returns the next five due times of a schedule. */
  @Post('schedule-preview')
  @HttpCode(200)
  previewSchedule(@Body() body: SchedulePreviewRequestDto): Promise<SchedulePreviewDto> {
    return this.tasks.previewSchedule(body);
  }

  /** Returns a task. */
  @Access('member', 'use', 'manage')
  @Get(':id')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<TaskDto> {
    return this.tasks.get(caller, id);
  }

  /**
   * Changes the given fields. Only for the owner and admins. Of a task that belongs to an application, only admins change
   * `enabled`, `concurrency`, and `timeoutMs`; the manifest defines the rest. Once `enabled: false` is returned, no event and no
   * schedule starts the task, and no run of it that waits begins until it is enabled.
   */
  @Patch(':id')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateTaskDto,
  ): Promise<TaskDto> {
    return this.tasks.update(call, id, body);
  }

  /**
   * Gives the task to a member who has the rights that its steps need; without `ownerUserId`, to the caller. Its runs act as the new
   * owner, also those that wait. A task that was disabled because its owner left the space is enabled.
   */
  @Access('admin')
  @Post(':id/owner')
  @HttpCode(200)
  changeOwner(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: ChangeTaskOwnerDto,
  ): Promise<TaskDto> {
    return this.tasks.changeOwner(call, id, body.ownerUserId ?? call.by.userId);
  }

  /**
   * Cancels the runs of the task that are QUEUED or RUNNING; with `status`, only those. Queued ones end at once, running ones
   * soon. Cancels at most 20,000 queued runs: repeat it while `isAnyLeft`.
   */
  @Post(':id/runs/cancel')
  @HttpCode(202)
  cancelRuns(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: CancelTaskRunsDto,
  ): Promise<CancelledRunsDto> {
    return this.tasks.cancelRuns(call, id, body.status);
  }

  /** Deletes the task. Its runs stay readable; it starts no more. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.tasks.delete(call, id);
  }
}
