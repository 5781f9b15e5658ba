import { Injectable } from '@nestjs/common';
import type { ReplayOnly } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { invalidFor } from '../../infra/errors/app-error.ts';
import type { EventKey } from '../catalog/catalog.store.ts';
import { listSubscribed } from '../subscriptions/subscriptions.store.ts';
import { OutcomesService } from '../summary/outcomes.service.ts';

/** What a request limits a replay to; both null: nothing. */
export interface ReplayLimit {
  only: ReplayOnly | null;
  /** Ordered, without repetitions. */
  subscriptionIds: string[] | null;
}

/** An envelope that is to be replayed. */
export interface ReplayTarget {
  id: string;
  /** Null: all subscriptions. */
  limitedTo: string[] | null;
}

/** The subscriptions that limited replays are for. */
@Injectable()
export class ReplayLimitsService {
  constructor(private readonly outcomes: OutcomesService) {}

  /** Returns the events of the subscriptions; null: any. */
  async eventsOf(
    manager: EntityManager,
    spaceId: string,
    { subscriptionIds }: ReplayLimit,
  ): Promise<EventKey[] | null> {
    if (subscriptionIds === null) return null;
    const found = await listSubscribed(manager, spaceId, subscriptionIds);
    return found.map(({ applicationId, event }) => ({ applicationId, name: event }));
  }

  /** Throws VALIDATION_ERROR for a subscription that the space does not have, or that is not to the event, if there is one. */
  async assertSubscribed(
    manager: EntityManager,
    spaceId: string,
    { subscriptionIds }: ReplayLimit,
    event: EventKey | null,
  ): Promise<void> {
    if (subscriptionIds === null) return;
    const found = await listSubscribed(manager, spaceId, subscriptionIds);
    const kept = new Map(found.filter(({ deletedAt }) => deletedAt === null).map((one) => [one.id, one]));
    const problems = subscriptionIds.flatMap((id) => {
      const one = kept.get(id);
      if (one === undefined) return `there is no subscription ${id}`;
      const isOther =
        event !== null && (one.applicationId !== event.applicationId || one.event !== event.name);
      return isOther ? `subscription ${id} is to ${one.event}` : [];
    });
    if (problems.length > 0) throw invalidFor(problems.map((problem) => `subscriptionIds: ${problem}`));
  }

  /**
   * Returns for which subscriptions envelopes are replayed. Omits those of which no wanted delivery has failed, or only to
   * subscriptions that have been deleted: their replays would start nothing, however often.
   */
  async resolve(
    manager: EntityManager,
    spaceId: string,
    envelopeIds: readonly string[],
    { only, subscriptionIds }: ReplayLimit,
  ): Promise<ReplayTarget[]> {
    if (only === null) return envelopeIds.map((id) => ({ id, limitedTo: subscriptionIds }));
    const failed = await this.outcomes.listFailed(manager, spaceId, envelopeIds);
    const ids = subscriptionIds ?? [...new Set([...failed.values()].flat())];
    const subscribed = await listSubscribed(manager, spaceId, ids);
    const wanted = new Set(subscribed.flatMap(({ id, deletedAt }) => (deletedAt === null ? id : [])));
    return envelopeIds.flatMap((id) => {
      const limitedTo = (failed.get(id) ?? []).filter((one) => wanted.has(one));
      return limitedTo.length === 0 ? [] : { id, limitedTo };
    });
  }
}

/** Returns the limit of a request. The order and repetitions of ids mean nothing. */
export function limitOf({
  only,
  subscriptionIds,
}: {
  only?: ReplayOnly | null;
  subscriptionIds?: readonly string[] | null;
}): ReplayLimit {
  const ids = subscriptionIds && [...new Set(subscriptionIds.map((id) => id.toLowerCase()))].sort();
  return { only: only ?? null, subscriptionIds: ids ?? null };
}

export function isSameLimit(a: ReplayLimit, b: ReplayLimit): boolean {
  return a.only === b.only && String(a.subscriptionIds) === String(b.subscriptionIds);
}
