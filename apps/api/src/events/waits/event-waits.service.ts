import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { completeWait } from '../../tasks/waits/waits.store.ts';
import { matchFilter } from '../subscriptions/filter.ts';
import { listEventWaits, listWaitedFields } from './event-waits.store.ts';
import { keysOfPayload } from './wait-key.ts';

/** An event that is being dispatched. */
export interface DispatchedEvent {
  spaceId: string;
  applicationId: string;
  event: string;
  payload: Record<string, unknown>;
  emittedAt: Date;
  trigger: object;
}

/** Ends the waits of runs for events, in the transaction that dispatches the events. */
@Injectable()
export class EventWaitsService {
  /** What is waited for in a space. It must be read under the lock of its subscriptions. */
  listFields(tx: EntityManager, spaceId: string): ReturnType<typeof listWaitedFields> {
    return listWaitedFields(tx, spaceId);
  }

  /** Only an event that was recorded after a wait was stored ends it. Returns whether one ended. */
  async end(
    tx: EntityManager,
    waited: Awaited<ReturnType<typeof listWaitedFields>>,
    events: readonly DispatchedEvent[],
  ): Promise<boolean> {
    let isAnyEnded = false;
    for (const one of events) {
      const { applicationId, event, payload, emittedAt, trigger } = one;
      const fields = waited.filter((wait) => wait.applicationId === applicationId && wait.event === event);
      if (fields.length === 0) continue;
      const keys = keysOfPayload(
        fields.map(({ field }) => field),
        payload,
      );
      for (const { filter, createdAt, ...key } of await listEventWaits(tx, one, keys)) {
        if (emittedAt < createdAt || !matchFilter(filter, payload).matches) continue;
        isAnyEnded = (await completeWait(tx, key, { timedOut: false, trigger })) || isAnyEnded;
      }
    }
    return isAnyEnded;
  }
}
