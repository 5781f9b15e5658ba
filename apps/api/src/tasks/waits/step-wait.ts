import type { EventFilter } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { WaitKind } from './run-wait.entity.ts';
import type { WaitKey } from './waits.store.ts';

interface WaitRequest {
  kind: WaitKind;
  /** An ISO 8601 time or duration, whichever is given. Absent: it ends only with a result. */
  until?: string;
  for?: string;
  /** Of the event that ends it. */
  applicationIdentifier?: string;
  event?: string;
  filter?: EventFilter | null;
  /** The run whose end ends it. */
  childRunId?: string;
}

/** What an action returns whose step waits: the run then occupies no process until the wait has ended. */
export class StepWait {
  constructor(
    readonly request: WaitRequest,
    /** Stores what belongs to the wait in the same transaction. */
    readonly store: (tx: EntityManager, key: WaitKey) => Promise<void> = () => Promise.resolve(),
  ) {}
}
