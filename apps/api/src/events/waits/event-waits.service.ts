import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WaitWorker } from '../../tasks/schedule/wait.worker.ts';
import { RunWaitsService } from '../../tasks/waits/run-waits.service.ts';
import { matchFilter } from '../subscriptions/filter.ts';
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

type WaitedFields = Awaited<ReturnType<RunWaitsService['listFields']>>;

/** Ends the waits of runs for events, in the transaction that dispatches the events. */
@Injectable()
export class EventWaitsService {
  constructor(
    private readonly waits: RunWaitsService,
    private readonly worker: WaitWorker,
  ) {}

  /** What is waited for in a space. It must be read under the lock of its subscriptions. */
  listFields(tx: EntityManager, spaceId: string): Promise<WaitedFields> {
    return this.waits.listFields(tx, spaceId);
  }

  /** Has the runs continue whose waits have ended, after the commit. */
  wake(): void {
    this.worker.wake();
  }

  /**
   * Only an event that was recorded after the step had begun ends its wait. Returns whether one ended. There are two statements for each
   * page of those who wait for an event: other spaces wait for this transaction.
   */
  async end(tx: EntityManager, waited: WaitedFields, events: readonly DispatchedEvent[]): Promise<boolean> {
    let isAnyEnded = false;
    for (const one of events) {
      const { applicationId, event, payload, emittedAt, trigger } = one;
      const fields = waited.filter((wait) => wait.applicationId === applicationId && wait.event === event);
      if (fields.length === 0) continue;
      const keys = keysOfPayload(
        fields.map(({ field }) => field),
        payload,
      );
      for await (const page of this.waits.listForEvent(tx, one, keys)) {
        const fitting = page.filter(
          ({ filter, createdAt }) => emittedAt >= createdAt && matchFilter(filter, payload).matches,
        );
        isAnyEnded = (await this.waits.complete(tx, fitting, { timedOut: false, trigger })) || isAnyEnded;
      }
    }
    return isAnyEnded;
  }
}
