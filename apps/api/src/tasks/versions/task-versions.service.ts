import { Injectable } from '@nestjs/common';
import type { Page, Task, TaskVersion, TaskVersionDiff, TaskVersionListing } from '@platform/contracts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { formatProblem } from '../definition/problems.ts';
import { assertManaged } from '../definition/task-access.ts';
import type { TaskEntity } from '../definition/task.entity.ts';
import { TasksService } from '../definition/tasks.service.ts';
import { getTask } from '../definition/tasks.store.ts';
import { checkWorkflow } from '../definition/workflow.ts';
import type { TaskVersionEntity } from './task-version.entity.ts';
import { getVersion, listVersions } from './task-versions.store.ts';
import { compareWorkflows } from './workflow-diff.ts';

/** The workflows that a task has had. */
@Injectable()
export class TaskVersionsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly tasks: TasksService,
  ) {}

  /** Lists the versions of a task, newest first. */
  async list(
    caller: UserPrincipal,
    taskId: string,
    { limit, cursor }: PageDto,
  ): Promise<Page<TaskVersionListing>> {
    const { id } = await this.getTask(caller, taskId);
    const filter = { versionsOf: id };
    const [below = null] = this.cursors.decode(cursor, filter) ?? [];
    const versions = await listVersions(this.database.manager, id, below as number | null, limit + 1);
    const toListing = await this.withAuthors(versions);
    return this.cursors.page(versions, limit, filter, ({ version }) => [version], toListing);
  }

  async get(caller: UserPrincipal, taskId: string, version: string): Promise<TaskVersion> {
    const { id } = await this.getTask(caller, taskId);
    const found = await getVersion(this.database.manager, id, version);
    const toListing = await this.withAuthors([found]);
    return { ...toListing(found), workflow: found.workflow };
  }

  /** Compares a version with another one, by default the current one. */
  async compare(
    caller: UserPrincipal,
    taskId: string,
    version: string,
    to?: number,
  ): Promise<TaskVersionDiff> {
    const task = await this.getTask(caller, taskId);
    const { manager } = this.database;
    const before = await getVersion(manager, task.id, version);
    const after = to === undefined ? task : await getVersion(manager, task.id, to);
    const steps = compareWorkflows(before.workflow, after.workflow);
    return { from: before.version, to: after.version, steps };
  }

  /** Gives a task the workflow of a version, checked like any other change. It is a new version, unless the workflow is the same. */
  async restore(call: AuditedCall, taskId: string, version: string): Promise<Task> {
    const { id } = await this.getTask(call.by, taskId);
    const { workflow, version: restoredVersion } = await getVersion(this.database.manager, id, version);
    // What was a workflow when it was stored may no longer be one.
    const problems = checkWorkflow(workflow, ['workflow']);
    if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
    return this.tasks.update(call, id, { workflow }, { restoredVersion });
  }

  private async getTask(caller: UserPrincipal, id: string): Promise<TaskEntity> {
    return assertManaged(caller, await getTask(this.database.manager, caller.spaceId, id));
  }

  private async withAuthors(
    versions: readonly Pick<TaskVersionEntity, 'createdBy'>[],
  ): Promise<(version: Omit<TaskVersionEntity, 'workflow'>) => TaskVersionListing> {
    const ids = new Set(versions.flatMap(({ createdBy }) => createdBy ?? []));
    const authors = await this.identity.findUsersByIds([...ids]);
    return ({ version, createdBy, createdAt }) => {
      const author = createdBy === null ? undefined : authors.get(createdBy);
      return {
        version,
        author: author ? { id: author.id, name: author.name } : null,
        createdAt: createdAt.toISOString(),
      };
    };
  }
}
