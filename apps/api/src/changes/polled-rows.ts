import type { PolledRow } from '../infra/changes/change-sources.registry.ts';

/** How many rows of a space and status a poll reads. */
export const MAX_POLLED = 200;

/** What polls have seen of a table in one space. */
export class PolledRows {
  private known: Map<string, PolledRow> | null = null;
  /** Rows to look at again, such as those of which a trigger has told. */
  private readonly tracked = new Set<string>();
  private polls = 0;

  track(id: string): void {
    if (this.tracked.size < MAX_POLLED) this.tracked.add(id);
  }

  /** The rows that a poll must read by their ids: they were open, and `current` no longer has them. */
  missing(current: readonly PolledRow[]): string[] {
    const seen = new Set(current.map(({ id }) => id));
    const open = [...(this.known?.values() ?? [])].filter(({ isOpen }) => isOpen).map(({ id }) => id);
    return [...new Set([...open, ...this.tracked])].filter((id) => !seen.has(id)).slice(0, MAX_POLLED);
  }

  /**
   * Returns the rows that have changed since the poll before. `isAll`: there are more rows than a poll reads, so any may have;
   * of those, every other poll tells.
   */
  advance(found: readonly PolledRow[]): { changed: PolledRow[]; isAll: boolean } {
    const before = this.known;
    this.known = new Map(found.map((row) => [row.id, row]));
    for (const id of this.tracked) if (this.known.get(id)?.isOpen !== true) this.tracked.delete(id);
    if (before === null) return { changed: [], isAll: false };
    this.polls++;
    return {
      changed: found.filter(({ id, version }) => before.get(id)?.version !== version),
      isAll: isCrowded(found) && this.polls % 2 === 0,
    };
  }
}

function isCrowded(found: readonly PolledRow[]): boolean {
  const counts = new Map<string, number>();
  for (const { status } of found) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= MAX_POLLED);
}
