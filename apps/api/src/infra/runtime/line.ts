interface Link<T> {
  readonly item: T;
  previous: Link<T> | null;
  next: Link<T> | null;
  isLinked: boolean;
}

/**
 * First in, first out, except that an item can leave from anywhere; every operation takes constant time. Neither an array nor a
 * Set is as good: `shift()` moves all items, and the iterator of a Set walks over the gaps that its first items have left.
 */
export class Line<T> {
  private head: Link<T> | null = null;
  private tail: Link<T> | null = null;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get first(): T | null {
    return this.head?.item ?? null;
  }

  /** Appends an item. Returns the function that removes it, which can be called more than once. */
  push(item: T): () => void {
    const link: Link<T> = { item, previous: this.tail, next: null, isLinked: true };
    if (this.tail === null) this.head = link;
    else this.tail.next = link;
    this.tail = link;
    this.count += 1;
    return () => this.remove(link);
  }

  /** As `push`, but in front of all others. */
  unshift(item: T): () => void {
    const link: Link<T> = { item, previous: null, next: this.head, isLinked: true };
    if (this.head === null) this.tail = link;
    else this.head.previous = link;
    this.head = link;
    this.count += 1;
    return () => this.remove(link);
  }

  private remove(link: Link<T>): void {
    if (!link.isLinked) return;
    link.isLinked = false;
    if (link.previous === null) this.head = link.next;
    else link.previous.next = link.next;
    if (link.next === null) this.tail = link.previous;
    else link.next.previous = link.previous;
    this.count -= 1;
  }
}
