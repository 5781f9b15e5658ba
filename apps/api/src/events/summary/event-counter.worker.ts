import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import {
  RunOutcomesService,
  type EventMinute,
  type RunCounts,
} from '../../tasks/history/run-outcomes.service.ts';
import * as store from './event-counts.store.ts';
import { formatEventKey, parseEventKey } from './event-key.ts';

const EVERY_MS = 10_000;
/** How many groups, and how many of their envelopes and runs, are counted again at a time. */
const MAX_GROUPS = 500;
const MAX_ROWS = 200_000;

/** Keeps the counts of the summary up to date. Counting again changes nothing, so it does not matter which process counts. */
@Injectable()
export class EventCounterWorker extends PollWorker {
  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
    private readonly runs: RunOutcomesService,
  ) {
    super(config, { failure: 'Events could not be counted', retryMs: EVERY_MS, firstMs: EVERY_MS });
  }

  override onApplicationBootstrap(): void {
    this.sweeper.register('event counts', (limit) =>
      store.purgeCounts(this.database, this.config.eventRetentionDays, limit),
    );
    super.onApplicationBootstrap();
  }

  /** Counts what is due. */
  async count(): Promise<void> {
    while ((await this.countNext()) && !this.signal.aborted);
    await this.recountOpen();
  }

  protected async poll(): Promise<number> {
    await this.count();
    return EVERY_MS;
  }

  /** Returns whether more minutes are to be counted. */
  private countNext(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const period = await store.lockNextPeriod(tx);
      if (period === null) return false;
      await store.countPeriod(tx, period);
      await this.storeRuns(tx, await this.runs.countByMinute(tx, null, period.runsFrom, period.to));
      await store.finishPeriod(tx, period);
      return period.isBehind;
    });
  }

  private async recountOpen(): Promise<void> {
    await this.database.transaction(async (tx) => {
      // Two processes that add up different minutes of the same hour would each miss what the other has counted.
      if (!(await store.lockProgress(tx))) return;
      const open = await store.lockOpenGroups(tx, MAX_GROUPS);
      const waiting = await store.lockWaitingGroups(tx, MAX_GROUPS);
      const due = new Map([...open, ...waiting].map((group) => [JSON.stringify(group), group])).values();
      let rows = 0;
      const some = [...due].filter(({ size }, i) => (rows += size) <= MAX_ROWS || i === 0);
      await store.recountGroups(tx, some);
      const named = some.map(({ spaceId, minute, applicationId, event: name }) => ({
        spaceId,
        minute,
        event: formatEventKey({ applicationId, name }),
      }));
      await this.storeRuns(tx, await this.runs.countGroups(tx, named));
      await store.addUpHours(tx, some);
    });
  }

  private storeRuns(tx: EntityManager, counted: readonly (EventMinute & RunCounts)[]): Promise<void> {
    return store.storeRunCounts(
      tx,
      counted.flatMap((one) => {
        const key = parseEventKey(one.event);
        return key === null ? [] : { ...one, ...key };
      }),
    );
  }
}
