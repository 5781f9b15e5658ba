/**
 * Admits a fixed number of callers at a time. The others wait in the line of their group, and the groups take turns, so
 * that a group with a long line does not delay the others.
 */
export class FairGate {
  private readonly lines = new Map<string, (() => void)[]>();

  constructor(private free: number) {}

  async enter(group: string): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const line = this.lines.get(group);
    if (line) line.push(() => resolve(undefined));
    else this.lines.set(group, [() => resolve(undefined)]);
    await promise;
  }

  /** Runs work inside the gate. */
  async run<T>(group: string, work: () => Promise<T>): Promise<T> {
    await this.enter(group);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  leave(): void {
    for (const [group, line] of this.lines) {
      const [next, ...others] = line;
      this.lines.delete(group);
      // To the end of the map: the other groups come first.
      if (others.length > 0) this.lines.set(group, others);
      if (next === undefined) continue;
      next();
      return;
    }
    this.free++;
  }
}
