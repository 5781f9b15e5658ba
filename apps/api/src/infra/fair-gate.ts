/**
 * Lets `width` inside at a time. Who has to wait stands in the line of a group, and the groups take turns: one of them
 * cannot hold up the others, however long its line is.
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

  /** Does work inside. */
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
      // Back to the end: the other groups come first.
      if (others.length > 0) this.lines.set(group, others);
      if (next === undefined) continue;
      next();
      return;
    }
    this.free++;
  }
}
