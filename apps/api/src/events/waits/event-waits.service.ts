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

/** After how many a transaction ends no others. */
const MAX_ENDED = 1_000;

interface EndedWaits {
  ended: number;
  complete: number;
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
   * Only an event that was recorded after the step had begun ends its wait. There are two statements for each page of those who wait
   * for an event. Other spaces wait for this transaction, so it reads no further page after `MAX_ENDED`. Returns how many have
   * ended, and of how many of the first events all have.
   */
  async end(
    tx: EntityManager,
    waited: WaitedFields,
    events: readonly DispatchedEvent[],
  ): Promise<EndedWaits> {
    let ended = 0;
    for (const [complete, one] of events.entries()) {
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
        ended += await this.waits.complete(tx, fitting, { timedOut: false, trigger });
        // The next transaction finds out whether this event has others.
        if (ended >= MAX_ENDED) return { ended, complete };
      }
    }
    return { ended, complete: events.length };
  }
}
