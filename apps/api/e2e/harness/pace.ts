import { scryptSync } from 'node:crypto';

/** How long a sample takes on the machine that the limits of tests are made for, while nothing else runs. */
const REFERENCE_MS = 7;

/**
 * How slow the machine is while something is measured. A limit in milliseconds times `slowness` means the same on a machine that
 * is slow, or busy with other tests.
 */
export class Pace {
  private readonly samples: number[] = [];

  /** Takes 7 ms or longer, in which this thread does nothing else. */
  sample(): void {
    const begun = performance.now();
    scryptSync('pace', 'salt', 32, { N: 4096 });
    this.samples.push(performance.now() - begun);
  }

  /** At least 1: on a fast machine, limits are as they are written. */
  get slowness(): number {
    const median = this.samples.toSorted((a, b) => a - b)[this.samples.length >> 1] ?? 0;
    return Math.max(1, median / REFERENCE_MS);
  }
}
