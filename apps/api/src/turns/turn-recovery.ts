import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../infra/database/rows.ts';
import { countTokens } from '../models/tokens.ts';
import { StreamsService } from '../streams/streams.service.ts';
import { productEventsIn } from './fold.ts';
import { sayFailure } from './turn-closing.ts';
import { endTurn, insertItem, type TurnFailure } from './turn-store.ts';

const INTERRUPTED: TurnFailure = {
  code: 'INTERRUPTED',
  message: 'The turn was interrupted; send it again to run it once more',
  retryable: true,
};

interface Orphan {
  id: string;
  clientTurnId: string;
  streamId: string;
  nextItem: number;
}

/**
 * Ends the turns whose process died: FAILED and retryable, what was said kept, the stream closed for its readers.
 * It waits one whole lease after its own start, so that a database that was away does not make orphans of the living.
 */
@Injectable()
export class TurnRecovery implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnRecovery.name);
  private timer: NodeJS.Timeout | null = null;
  private notBefore = 0;
  private sweeping: Promise<void> | null = null;

  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
  ) {}

  onApplicationBootstrap(): void {
    this.notBefore = performance.now() + this.streams.leaseMs;
    this.timer = setInterval(() => this.tick(), this.streams.leaseMs / 4).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.sweeping;
  }

  private tick(): void {
    this.sweeping ??= this.sweep().finally(() => (this.sweeping = null));
  }

  private async sweep(): Promise<void> {
    try {
      if (performance.now() < this.notBefore) return;
      for (const orphan of await this.orphans()) await this.end(orphan);
    } catch (error) {
      this.notBefore = performance.now() + this.streams.leaseMs;
      this.logger.warn({ err: error }, 'Interrupted turns could not be ended; trying again');
    }
  }

  private orphans(): Promise<Orphan[]> {
    return rows(
      this.database,
      `select t.id, t.client_turn_id as "clientTurnId", g.stream_id as "streamId",
         (select coalesce(max(n), 0) + 1 from turn_item where turn_id = t.id) as "nextItem"
       from stream s join turn_segment g on g.stream_id = s.id join turn t on t.id = g.turn_id
       where s.ended_at is null and s.lease_until < clock_timestamp() limit 100`,
    );
  }

  private async end({ id, clientTurnId, streamId, nextItem }: Orphan): Promise<void> {
    const text = await this.said(streamId);
    const tokens = await countTokens(text);
    const closed = await this.database.transaction(async (tx) => {
      const writer = await this.streams.takeOver(tx, streamId);
      if (writer === null) return null;
      if (text !== '') await insertItem(tx, id, nextItem, { kind: 'partial', content: { text }, tokens });
      const used = { promptTokens: 0, completionTokens: 0, cost: 0, estimated: true, executionMs: 0 };
      await endTurn(tx, id, { status: 'FAILED', error: INTERRUPTED, ...used });
      const batch = await writer.end(tx, (closing) => {
        sayFailure(closing, { ...INTERRUPTED, turnId: clientTurnId, requestId: null });
      });
      return { writer, batch };
    });
    if (closed === null) return;
    closed.writer.ended(closed.batch);
    this.streams.release(closed.writer);
    this.logger.warn({ turn: id }, 'An interrupted turn was ended');
  }

  /** The answer as far as readers have it. */
  private async said(streamId: string): Promise<string> {
    let text = '';
    for await (const bytes of this.streams.stored(streamId)) {
      for (const event of productEventsIn(bytes)) if (event.event === 'content.delta') text += event.delta;
    }
    return text;
  }
}
