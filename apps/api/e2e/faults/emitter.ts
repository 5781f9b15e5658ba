import { setTimeout as delay } from 'node:timers/promises';
import type { EmitBatchResponse, EmitResponse } from '@platform/contracts';
import type { EmitAnswer, Ledger, LedgerEntry } from './ledger.ts';
import { outcomeOf } from './ledger.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 10_000;
const RETRY_MS = 100;

interface LoadOptions {
  count: number;
  /** Emissions started per second; default: as fast as `atOnce` allows. */
  perSecond?: number;
  atOnce?: number;
  random: (below: number) => number;
  /** Checked before each emission. */
  until?: () => boolean;
}

/** A client: emits, notes every answer in the ledger, and emits again with the same key if an answer is missing. */
export class Emitter {
  constructor(
    private readonly ledger: Ledger,
    private readonly world: World,
    /** The addresses that it takes in turn. */
    private readonly urls: () => string[],
    private readonly options: { retries?: number } = {},
  ) {}

  /** Emits until the outcome is known, or all retries are used. */
  async emit(
    payload: Record<string, unknown>,
    key: string | null = crypto.randomUUID(),
    event = 'order.created',
  ): Promise<LedgerEntry> {
    const { application } = this.world;
    const entry = await this.ledger.add({ application, event, key, payload });
    const { retries = 100 } = this.options;
    for (let retry = 0; ; retry++) {
      const answer = await this.send(entry);
      await this.ledger.answer(entry, answer);
      // Without a key, a second emission would be another event.
      if (outcomeOf(entry) !== 'unknown' || key === null || retry === retries) return entry;
      await delay(RETRY_MS);
    }
  }

  /** Emits many events of the world. Resolves when each has its outcome. */
  async load({ count, perSecond, atOnce = 16, random, until }: LoadOptions): Promise<LedgerEntry[]> {
    const startedAt = performance.now();
    const running = new Set<Promise<LedgerEntry>>();
    const all: Promise<LedgerEntry>[] = [];
    for (let i = 0; i < count && !(until?.() ?? false); i++) {
      if (perSecond !== undefined)
        await delay(Math.max(0, startedAt + (i * 1_000) / perSecond - performance.now()));
      else while (running.size >= atOnce) await Promise.race(running);
      const emission = this.emit(this.world.payload(random));
      all.push(emission);
      running.add(emission);
      void emission.finally(() => running.delete(emission));
    }
    return Promise.all(all);
  }

  /** One request, without a retry. */
  async send(
    entry: Pick<LedgerEntry, 'n' | 'application' | 'event' | 'key' | 'payload'>,
  ): Promise<EmitAnswer> {
    const urls = this.urls();
    const url = urls[(entry.n + Math.floor(Math.random() * 2)) % urls.length];
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      if (url === undefined) throw new Error('No process runs');
      const event = {
        appIdentifier: entry.application,
        event: entry.event,
        payload: entry.payload,
        idempotencyKey: entry.key,
      };
      // Every third emission is a batch, which repeats its key.
      const events = entry.n % 3 > 0 ? null : entry.key === null ? [event] : [event, event];
      const response = await fetch(`${url}/api/events/emit${events ? '-batch' : ''}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${this.world.systemKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(events ? { events } : event),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) return { status: response.status, ms: ms(), text };
      const { envelopeId, duplicate, samePayload } = events
        ? firstOf(text)
        : (JSON.parse(text) as EmitResponse);
      return { status: response.status, ms: ms(), envelopeId, duplicate, samePayload };
    } catch (error) {
      return { status: 0, ms: ms(), text: String(error) };
    }
  }
}

/** The outcome of a batch whose second event, if it has one, repeats the first. Throws if it is not known. */
function firstOf(text: string): EmitResponse {
  const [first, second] = (JSON.parse(text) as EmitBatchResponse).items;
  if (first === undefined || 'code' in first) throw new Error(text);
  if (second !== undefined && ('code' in second || second.envelopeId !== first.envelopeId))
    throw new Error(`A key has two outcomes: ${text}`);
  return first;
}
