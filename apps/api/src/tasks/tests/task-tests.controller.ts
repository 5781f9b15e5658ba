import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { Audited, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { RunDto } from '../history/runs.dto.ts';
import { TestTaskDto } from './task-tests.dto.ts';
import { TaskTestsService } from './task-tests.service.ts';

@Access('member', 'manage')
@Controller('tasks')
export class TaskTestsController {
  constructor(private readonly tests: TaskTestsService) {}

  /**
   * Starts a run that tests the task, or a workflow that is not stored. Steps that are left out return what they did in the last run that
   * succeeded, otherwise an example, and say so as `simulated`. The run counts nowhere, and is in lists only with `isTest=true`.
   */
  @Post(':id/test')
  @HttpCode(202)
  @BodyLimit('values')
  test(@Audited() call: AuditedCall, @Param('id') id: string, @Body() body: TestTaskDto): Promise<RunDto> {
    return this.tests.start(call, id, body);
  }
}
