import { setTimeout as delay } from 'node:timers/promises';
import type { HintKind, Messaging } from '../../src/infra/messaging/messaging.ts';
import type { OutboxSource } from '../../src/infra/messaging/outbox-publisher.ts';

interface Row {
  state: 'waiting' | 'claimed' | 'done';
  nextPublishAt: number;
  publishes: number;
  attempts: number;
}

interface Options {
  kind?: HintKind;
  /** How long a new row trusts its first hint; default: as the transport advises. */
  firstDelayMs?: number;
  workMs?: number;
}

/** What an owner keeps in the database, kept in memory: rows that are claimed, worked at once, and hinted at until then. */
export class WorkTable implements OutboxSource {
  readonly kind: HintKind;
  /** How often the relay loop has asked. */
  looks = 0;
  private readonly rows = new Map<string, Row>();
  private readonly failing = new Set<string>();
  private readonly done: string[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly options: Options = {},
  ) {
    this.kind = options.kind ?? 'job';
  }

  /** Records rows and publishes them, by another process where one is given. */
  async add(ids: string[], by = this.messaging): Promise<void> {
    const nextPublishAt = performance.now() + this.trustMs;
    for (const id of ids) this.rows.set(id, { state: 'waiting', nextPublishAt, publishes: 1, attempts: 0 });
    await by.publish(this.kind, ids);
  }

  isAnyDue = () => Promise.resolve(true);

  failOnce(id: string): void {
    this.failing.add(id);
  }

  /** The consumer. */
  readonly work = async (id: string): Promise<void> => {
    const row = this.rows.get(id);
    if (row?.state !== 'waiting') return;
    row.state = 'claimed';
    row.attempts += 1;
    if (this.failing.delete(id)) {
      row.state = 'waiting';
      throw new Error(`Row ${id} fails once`);
    }
    if (this.options.workMs !== undefined) await delay(this.options.workMs);
    row.state = 'done';
    this.done.push(id);
  };

  async takeDue(limit: number): Promise<string[]> {
    this.looks += 1;
    const now = performance.now();
    const due = [...this.rows].filter(([, row]) => row.state === 'waiting' && row.nextPublishAt <= now);
    return due.slice(0, limit).map(([id, row]) => {
      row.nextPublishAt = now + this.trustMs * 2 ** row.publishes++;
      return id;
    });
  }

  async expedite(limit: number): Promise<number> {
    const now = performance.now();
    const later = [...this.rows.values()].filter((row) => row.nextPublishAt > now).slice(0, limit);
    for (const row of later) row.nextPublishAt = now;
    return later.length;
  }

  /** The ids whose effect took place, as often as it did, in order. */
  effects(): string[] {
    return [...this.done].sort();
  }

  count(): number {
    return this.done.length;
  }

  attempts(id: string): number {
    return this.rows.get(id)?.attempts ?? 0;
  }

  private get trustMs(): number {
    return this.options.firstDelayMs ?? this.messaging.pace.republishAfterMs;
  }
}
