import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import { TaskDto } from '../definition/tasks.dto.ts';
import {
  TaskVersionDiffDto,
  TaskVersionDiffQueryDto,
  TaskVersionDto,
  TaskVersionPageDto,
} from './task-versions.dto.ts';
import { TaskVersionsService } from './task-versions.service.ts';

@Access('member', 'use', 'manage')
@Controller('tasks/:id/versions')
export class TaskVersionsController {
  constructor(private readonly versions: TaskVersionsService) {}

  /** Lists the versions of the task, newest first. Each workflow that was stored is one. */
  @Get()
  list(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Query() query: PageDto,
  ): Promise<TaskVersionPageDto> {
    return this.versions.list(caller, id, query);
  }

  /** Returns a version with its workflow. */
  @Get(':version')
  get(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Param('version') version: string,
  ): Promise<TaskVersionDto> {
    return this.versions.get(caller, id, version);
  }

  /** Returns the steps that differ between the version and another one, by default the current one. */
  @Get(':version/diff')
  compare(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Param('version') version: string,
    @Query() { to }: TaskVersionDiffQueryDto,
  ): Promise<TaskVersionDiffDto> {
    return this.versions.compare(caller, id, version, to);
  }

  /**
   * Gives the task the workflow of the version, which is checked like any change of the task, and becomes a new version. Runs that
   * have begun keep theirs.
   */
  @Access('member', 'manage')
  @Post(':version/restore')
  @HttpCode(200)
  restore(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Param('version') version: string,
  ): Promise<TaskDto> {
    return this.versions.restore(call, id, version);
  }
}
