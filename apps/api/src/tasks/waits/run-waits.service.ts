import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  listEventWaits,
  listWaitedFields,
  MAX_WAITED_FIELDS,
  WAITS_PAGE,
  type EventWait,
  type WaitedField,
} from './event-waits.store.ts';
import { completeWaits, type WaitKey } from './waits.store.ts';

/** What runs wait for, for the modules that know when it happens. */
@Injectable()
export class RunWaitsService {
  /** Lists by which fields of which events runs of a space wait. */
  listFields(tx: EntityManager, spaceId: string): Promise<WaitedField[]> {
    return listWaitedFields(tx, spaceId);
  }

  /** Whether a wait can be found by its field. If the others have many other fields, it is found without one. */
  async mayWaitBy(tx: EntityManager, spaceId: string, wait: WaitedField): Promise<boolean> {
    const waited = await this.listFields(tx, spaceId);
    const fields = waited.filter(
      ({ applicationId, event }) => applicationId === wait.applicationId && event === wait.event,
    );
    const isRoom = fields.length < MAX_WAITED_FIELDS.ofEvent && waited.length < MAX_WAITED_FIELDS.ofSpace;
    return isRoom || fields.some(({ field }) => field === wait.field);
  }

  /** Lists the runs that wait for an event with one of the values, a page at a time. */
  async *listForEvent(
    tx: EntityManager,
    event: { spaceId: string; applicationId: string; event: string },
    keys: readonly { field: string; value: string }[],
  ): AsyncGenerator<EventWait[]> {
    let after: WaitKey | null = null;
    do {
      const page: EventWait[] = await listEventWaits(tx, event, keys, after);
      if (page.length > 0) yield page;
      after = page.length < WAITS_PAGE ? null : (page.at(-1) ?? null);
    } while (after !== null);
  }

  /** Ends waits with the output of their steps. Returns how many had not ended: only one call has an effect on each. */
  async complete(tx: EntityManager, waits: readonly WaitKey[], output: object): Promise<number> {
    return waits.length > 0 ? completeWaits(tx, waits, output) : 0;
  }
}
