import type { ChangeEvent, ChangeKind } from '@platform/contracts';

/** How many changes of a kind are told one by one, between two reads. */
const MAX_TOLD = 20;

/** What a reader has not been told yet. It is bounded, however slow the reader: each row is told once, with its latest status. */
export class PendingChanges {
  private readonly kinds = new Map<ChangeKind, Map<string, string | null> | 'all'>();
  private isReset = false;

  get isEmpty(): boolean {
    return this.kinds.size === 0 && !this.isReset;
  }

  reset(): void {
    this.isReset = true;
    this.kinds.clear();
  }

  add(kind: ChangeKind, id: string | null, status: string | null): void {
    const known = this.kinds.get(kind);
    if (known === 'all' || id === null) {
      this.kinds.set(kind, 'all');
      return;
    }
    const told = (known ?? new Map<string, string | null>()).set(id, status);
    this.kinds.set(kind, told.size > MAX_TOLD ? 'all' : told);
  }

  take(): ChangeEvent[] {
    const events: ChangeEvent[] = this.isReset ? [{ kind: 'reset' }] : [];
    for (const [kind, changed] of this.kinds) {
      if (changed === 'all') events.push({ kind, id: null, status: null });
      else for (const [id, status] of changed) events.push({ kind, id, status });
    }
    this.kinds.clear();
    this.isReset = false;
    return events;
  }
}
