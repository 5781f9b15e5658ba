/** Interval at which frames are rendered together. A stream can deliver hundreds per second. */
const RENDER_EVERY_MS = 40;

/** Collects items and delivers them in batches. */
export class FrameBatch<T> {
  private items: T[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly deliver: (items: T[]) => void;

  constructor(deliver: (items: T[]) => void) {
    this.deliver = deliver;
  }

  add(item: T): void {
    this.items.push(item);
    this.timer ??= setTimeout(() => this.flush(), RENDER_EVERY_MS);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.items.length > 0) this.deliver(this.items.splice(0));
  }
}
