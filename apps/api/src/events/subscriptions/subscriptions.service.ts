import { Injectable } from '@nestjs/common';
import type { JsonSchema, Page, Subscription } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { insertRow } from '../../infra/database/entity-rows.ts';
import { conflict, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { canonicalJson } from '../../infra/runtime/json.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { formatProblem } from '../../tasks/definition/problems.ts';
import { checkPayloadTemplates } from '../../tasks/definition/workflow.ts';
import { EventDirectoryService } from '../catalog/event-directory.service.ts';
import { lockSubscriptions } from '../catalog/subscription-lock.store.ts';
import { findUnfit } from './filter-fit.ts';
import { SubscriptionEntity } from './subscription.entity.ts';
import { SubscriptionViewsService } from './subscription-views.service.ts';
import type {
  CreateSubscriptionDto,
  SubscriptionQueryDto,
  UpdateSubscriptionDto,
} from './subscriptions.dto.ts';
import {
  getSubscription,
  listSubscriptions,
  lockFullEvent,
  lockSubscriptionsOfTask,
  updateSubscription,
} from './subscriptions.store.ts';

/** To one event: each dispatch reads and matches all of them, and the page of an envelope shows as many. */
const MAX_SUBSCRIPTIONS = 1_000;

@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly events: EventDirectoryService,
    private readonly tasks: TaskDirectoryService,
    private readonly views: SubscriptionViewsService,
  ) {}

  /** Lists the subscriptions of a space, newest first. */
  async list(spaceId: string, query: SubscriptionQueryDto): Promise<Page<Subscription>> {
    const { limit, cursor, applicationIdentifier, event, taskId } = query;
    const { manager } = this.database;
    const filter = { subscriptionsOf: spaceId, applicationIdentifier, event, taskId };
    const below = this.cursors.idAfter(cursor, filter);
    const keys = await this.events.select(manager, spaceId, { applicationIdentifier, event });
    if (keys?.length === 0) return { items: [], nextCursor: null };
    const [first] = keys ?? [];
    const fetched = await listSubscriptions(
      manager,
      spaceId,
      {
        applicationId: applicationIdentifier === undefined ? null : (first?.applicationId ?? null),
        event:
          event === undefined
            ? null
            : { name: event, applicationIds: (keys ?? []).map(({ applicationId }) => applicationId) },
        taskId: taskId ?? null,
      },
      below,
      limit + 1,
    );
    const page = this.cursors.page(
      fetched,
      limit,
      filter,
      ({ id }) => [id],
      (row) => row,
    );
    return { ...page, items: await this.views.describe(manager, spaceId, page.items) };
  }

  async get(spaceId: string, id: string): Promise<Subscription> {
    return this.describe(await getSubscription(this.database.manager, spaceId, id));
  }

  /** Subscribes a task of the space to a registered event. */
  async create({ by, requestId }: AuditedCall, body: CreateSubscriptionDto): Promise<Subscription> {
    const { spaceId, userId } = by;
    const {
      applicationIdentifier,
      event: name,
      taskId,
      filter = null,
      debounce = null,
      batch = null,
      enabled = true,
    } = body;
    const create = async (tx: EntityManager) => {
      const event = await this.events.getRegistered(tx, spaceId, applicationIdentifier, name);
      await this.tasks.getForSubscription(tx, spaceId, taskId);
      assertPossible({ filter, debounce, batch }, event.payloadSchema);
      await this.assertResolvable(tx, spaceId, taskId, event.payloadSchema, batch !== null);
      await assertNew(tx, { taskId, applicationId: event.applicationId, event: name, filter });
      if (await lockFullEvent(tx, { applicationId: event.applicationId, event: name }, MAX_SUBSCRIPTIONS))
        throw conflict(
          `The event ${name} has ${MAX_SUBSCRIPTIONS} subscriptions, which is the most: delete one of them first`,
        );
      const row = await insertRow(tx, SubscriptionEntity, {
        spaceId,
        applicationId: event.applicationId,
        event: name,
        taskId,
        filter,
        debounce,
        batch,
        enabled,
        origin: 'USER',
        createdBy: userId,
      });
      const details = { applicationIdentifier, event: name, taskId };
      await recordAudit(tx, by, { ...audited('create', row.id), details, requestId });
      return row;
    };
    const committed = ({ id }: SubscriptionEntity) =>
      this.database.manager.existsBy(SubscriptionEntity, { spaceId, id });
    return this.describe(await this.database.transaction(create, { committed }));
  }

  /** Changes the filter or the switch. Once it returns, nothing fires by what was before. */
  async update(
    { by, requestId }: AuditedCall,
    id: string,
    body: UpdateSubscriptionDto,
  ): Promise<Subscription> {
    const { filter, debounce, batch, enabled } = body;
    const change = {
      ...(filter !== undefined && { filter }),
      ...(debounce !== undefined && { debounce }),
      ...(batch !== undefined && { batch }),
      ...(enabled !== undefined && { enabled }),
    };
    const updated = await this.database.transaction(
      async (tx) => {
        await lockSubscriptions(tx, by.spaceId);
        const row = await updateSubscription(tx, by.spaceId, id, change);
        assertOneKindOfWait(row);
        if (filter !== undefined || debounce !== undefined || batch !== undefined) {
          const event = await this.events.find(tx, row);
          if (event !== null) {
            const given = { filter: filter ?? null, debounce: debounce ?? null, batch: batch ?? null };
            assertPossible(given, event.payloadSchema);
            if (batch !== undefined)
              await this.assertResolvable(tx, by.spaceId, row.taskId, event.payloadSchema, batch !== null);
          }
        }
        if (filter !== undefined) await assertNew(tx, row);
        const details = { fields: Object.keys(change), ...(enabled !== undefined && { enabled }) };
        await recordAudit(tx, by, { ...audited('update', id), details, requestId });
        return row;
      },
      { lane: laneOf(by.spaceId) },
    );
    return this.describe(updated);
  }

  /** Deletes a subscription. A default one stays deleted when its application is installed again. */
  async delete({ by, requestId }: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(
      async (tx) => {
        await lockSubscriptions(tx, by.spaceId);
        await updateSubscription(tx, by.spaceId, id, { deletedAt: () => 'clock_timestamp()' });
        await recordAudit(tx, by, { ...audited('delete', id), requestId });
      },
      { lane: laneOf(by.spaceId) },
    );
  }

  /** Throws VALIDATION_ERROR for a task with templates that the event can never resolve. */
  private async assertResolvable(
    tx: EntityManager,
    spaceId: string,
    taskId: string,
    schema: JsonSchema,
    isBatch: boolean,
  ): Promise<void> {
    const workflow = (await this.tasks.findWorkflows(tx, spaceId, [taskId])).get(taskId);
    const problems =
      workflow === undefined ? [] : checkPayloadTemplates(workflow, schema, ['workflow'], isBatch);
    if (problems.length > 0)
      throw invalidFor(
        problems.map(
          (problem) => `taskId must name a task that can read the event: ${formatProblem(problem)}`,
        ),
      );
  }

  private async describe(row: SubscriptionEntity): Promise<Subscription> {
    const [described] = await this.views.describe(this.database.manager, row.spaceId, [row]);
    if (described === undefined) throw new Error(`Subscription ${row.id} was not described`);
    return described;
  }
}

/** Throws VALIDATION_ERROR for a filter that matches no payload of the event, and a key that none has. */
function assertPossible(
  given: Pick<SubscriptionEntity, 'filter' | 'debounce' | 'batch'>,
  schema: JsonSchema,
): void {
  assertOneKindOfWait(given);
  const problems = findUnfit(given, schema);
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
}

/** Throws VALIDATION_ERROR for a subscription with debounce and batch. */
function assertOneKindOfWait({ debounce, batch }: Pick<SubscriptionEntity, 'debounce' | 'batch'>): void {
  if (debounce !== null && batch !== null)
    throw invalid('batch must not be given together with debounce: set one of them to null');
}

/** Throws CONFLICT if a task would run twice for the same reason. */
async function assertNew(
  tx: EntityManager,
  wanted: Pick<SubscriptionEntity, 'taskId' | 'applicationId' | 'event' | 'filter'> & { id?: string },
): Promise<void> {
  const same = (await lockSubscriptionsOfTask(tx, wanted)).find(
    ({ id, filter }) =>
      id !== wanted.id && canonicalJson(filter ?? {}) === canonicalJson(wanted.filter ?? {}),
  );
  if (same !== undefined)
    throw conflict(
      `The task is already subscribed to ${same.event} with this filter, by the subscription ${same.id}`,
    );
}

/** Those who wait for the lock must not use up the connections. */
function laneOf(spaceId: string): string {
  return `subscriptions ${spaceId}`;
}

function audited(verb: 'create' | 'update' | 'delete', targetId: string) {
  return { action: `subscription.${verb}` as const, targetType: 'subscription', targetId };
}
