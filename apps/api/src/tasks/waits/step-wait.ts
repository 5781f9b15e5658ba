import type { EventFilter } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { WaitKind } from './run-wait.entity.ts';
import type { WaitKey } from './waits.store.ts';

interface WaitRequest {
  kind: WaitKind;
  /** A time or an ISO 8601 duration, whichever is given. Absent: it ends only with a result. */
  until?: Date;
  for?: string;
  /** What ends a wait for an event. `field` and `value` find it among others: an event that fits the filter has the same. */
  event?: {
    applicationId: string;
    event: string;
    filter: EventFilter | null;
    field: string;
    value: string;
  };
  /** Whether its end executes the step again, as the same execution, instead of ending it. */
  repeats?: boolean;
  /** The run whose end ends it. */
  childRunId?: string;
}

interface WaitHooks {
  /** Stores what belongs to the wait, in the same transaction. */
  store?: (tx: EntityManager, key: WaitKey) => Promise<void>;
  /** What the transaction locks first. */
  before?: (tx: EntityManager) => Promise<void>;
  /** Called once the wait is stored. Never rejects. */
  stored?: () => Promise<void>;
}

/** What an action returns whose step waits: the run then occupies no process until the wait has ended. */
export class StepWait {
  constructor(
    readonly request: WaitRequest,
    readonly hooks: WaitHooks = {},
  ) {}
}
