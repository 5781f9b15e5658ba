/** Lets spaces take turns at what is done in the order in which it is due, so that one space with a lot keeps no other waiting. */
export class SpaceTurns {
  /** How many rows of each space were taken in this round. */
  private readonly taken = new Map<string, number>();

  /** `share`: so many rows of a space are taken before those of other spaces are looked for. */
  constructor(private readonly share: number) {}

  /** Returns what `list` returns without the spaces that have had their share. Empty only if nothing is left. */
  async take<T extends { spaceId: string }>(list: (served: string[]) => Promise<T[]>): Promise<T[]> {
    const served = [...this.taken].filter(([, count]) => count >= this.share).map(([spaceId]) => spaceId);
    let found = await list(served);
    if (found.length === 0) {
      this.taken.clear();
      if (served.length > 0) found = await list([]);
    }
    for (const { spaceId } of found) this.taken.set(spaceId, (this.taken.get(spaceId) ?? 0) + 1);
    return found;
  }
}
