import { Injectable } from '@nestjs/common';
import type { SubscriptionVerdict } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { STORED_VERDICTS } from '../dispatch/dispatch.service.ts';
import type { EnvelopeReplayEntity } from '../records/envelope-replay.entity.ts';
import type { EnvelopeEntity } from '../records/envelope.entity.ts';
import { listSubscriptionsAfter } from '../subscriptions/subscriptions.store.ts';
import { judge } from '../subscriptions/verdicts.ts';

const MAX_VERDICTS = 1_000;

/** The verdicts that a dispatch did not store. */
@Injectable()
export class LaterVerdictsService {
  constructor(private readonly tasks: TaskDirectoryService) {}

  /**
   * Judges an envelope, or its latest replay, by the subscriptions after those whose verdicts are stored. Empty if all are stored, or
   * the payload was erased.
   */
  async judge(
    manager: EntityManager,
    envelope: EnvelopeEntity,
    replay: Pick<EnvelopeReplayEntity, 'limitedTo' | 'bulkReplayId'> | undefined,
  ): Promise<SubscriptionVerdict[]> {
    const { spaceId, applicationId, event, verdicts, erasure } = envelope;
    const last = verdicts?.at(-1);
    if (erasure !== null || verdicts === null || last === undefined || verdicts.length < STORED_VERDICTS)
      return [];
    const limit = MAX_VERDICTS - verdicts.length;
    const key = { applicationId, event };
    const others = await listSubscriptionsAfter(manager, key, last.subscriptionId, limit);
    const tasks = await this.tasks.find(manager, spaceId, [...new Set(others.map(({ taskId }) => taskId))]);
    const limitedTo = replay?.limitedTo ? new Set(replay.limitedTo) : null;
    const judged = { ...envelope, limitedTo, bulkReplayId: replay?.bulkReplayId ?? null };
    return others.flatMap(
      (subscription) => judge(judged, subscription, tasks.get(subscription.taskId)) ?? [],
    );
  }
}
