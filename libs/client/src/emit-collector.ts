import { ERROR_STATUS } from '@platform/contracts';
import type { EmissionError, EmitBatchResponse, EmitRequest, EmitResponse } from '@platform/contracts';
import { PlatformError } from './errors.ts';
import type { Timer } from './timer.ts';

const COLLECT_MS = 5;
const MAX_EVENTS = 500;
/** At most three bytes each: the service reads 4 MB. */
const MAX_CHARACTERS = 1_000_000;

interface Waiting {
  /** Serialized at once: the caller may change the event afterwards. */
  json: string;
  hasKey: boolean;
  resolve: (response: EmitResponse) => void;
  reject: (error: unknown) => void;
}

/** Sends events as the JSON body of a batch. One that is idempotent can be repeated. */
type SendBatch = (json: string, isIdempotent: boolean) => Promise<EmitBatchResponse>;

/** Collects events into batches. The promise of each event settles with its own outcome. */
export class EmitCollector {
  private waiting: Waiting[] = [];
  private characters = 0;
  private stopTimer: () => void = () => undefined;
  private readonly sending = new Set<Promise<void>>();
  private readonly send: SendBatch;
  private readonly timer: Timer;

  constructor(send: SendBatch, timer: Timer) {
    this.send = send;
    this.timer = timer;
  }

  emit(event: EmitRequest): Promise<EmitResponse> {
    return new Promise((resolve, reject) => {
      const json = JSON.stringify(event);
      if (this.waiting.length === MAX_EVENTS || this.characters + json.length > MAX_CHARACTERS)
        this.sendWaiting();
      this.waiting.push({ json, hasKey: hasKey(event), resolve, reject });
      this.characters += json.length;
      if (this.waiting.length === 1) this.stopTimer = this.timer.after(COLLECT_MS, () => this.sendWaiting());
    });
  }

  /** Sends what waits. Resolves when every event has its outcome. */
  async flush(): Promise<void> {
    this.sendWaiting();
    await Promise.all(this.sending);
  }

  private sendWaiting(): void {
    this.stopTimer();
    const waiting = this.waiting;
    this.waiting = [];
    this.characters = 0;
    // Apart, because only a batch of keyed events may be repeated.
    for (const keyed of [true, false]) {
      const batch = waiting.filter(({ hasKey }) => hasKey === keyed);
      if (batch.length === 0) continue;
      const sent = this.settle(batch, keyed).finally(() => this.sending.delete(sent));
      this.sending.add(sent);
    }
  }

  private async settle(batch: readonly Waiting[], isIdempotent: boolean): Promise<void> {
    try {
      const json = `{"events":[${batch.map((event) => event.json).join(',')}]}`;
      const { items } = await this.send(json, isIdempotent);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const item = items[i];
        if (item === undefined) reject(toError(NO_OUTCOME));
        else if ('code' in item) reject(toError(item));
        else resolve(item);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

export function hasKey({ idempotencyKey }: Pick<EmitRequest, 'idempotencyKey'>): boolean {
  return idempotencyKey !== undefined && idempotencyKey !== null;
}

const NO_OUTCOME: EmissionError = {
  success: false,
  code: 'SERVER_ERROR',
  message: 'The response has no outcome of this event',
};

function toError({ code, message, retryAfter }: EmissionError): PlatformError {
  const status = ERROR_STATUS[code];
  return new PlatformError({
    status,
    code,
    message,
    requestId: null,
    turnId: null,
    retryAfter: retryAfter ?? null,
  });
}
