import type { ChangeKind } from '@platform/contracts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { isFor, mayHearOf, type Audience } from './change-audience.ts';
import { PendingChanges } from './pending-changes.ts';

/** One open stream of changes. */
export class ChangeReader {
  readonly pending = new PendingChanges();
  private resume: (() => void) | null = null;

  constructor(
    readonly caller: UserPrincipal,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** Tells of a change if the caller may learn of it. */
  tell(change: Audience, id: string, status: string | null): void {
    if (isFor(this.caller, change)) this.pending.add(change.kind, id, status);
  }

  /** Tells that any of a kind may have changed. */
  tellAll(kind: ChangeKind): void {
    if (mayHearOf(this.caller, kind)) this.pending.add(kind, null, null);
  }

  /** Resolves at the next `wake`, or when the stream ends. */
  async sleep(): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => (this.resume = resolve));
  }

  wake(): void {
    this.resume?.();
    this.resume = null;
  }
}
