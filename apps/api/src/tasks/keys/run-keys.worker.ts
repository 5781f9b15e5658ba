import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import {
  deleteLostPlaces,
  fillPlaces,
  freeRuns,
  KEYED_RUNS_WAITING,
  listWaitingKeys,
  type WaitingKey,
} from './run-keys.store.ts';

const POLL_MS = 1_000;
/** How many keys one poll looks at. */
const KEYS = 200;
/** How many runs it lets begin whose task has no key any more. */
const FREED = 2_000;

/** Finds runs that wait for a place of their key although one is free, or although their task has no key any more. */
@Injectable()
export class RunKeysWorker extends PollWorker {
  /** Where the next poll goes on. */
  private after: WaitingKey | null = null;

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly runs: RunCreationService,
  ) {
    super(config, {
      failure: 'Runs that wait for a place of their key could not be looked for',
      retryMs: POLL_MS,
    });
  }

  protected async poll(): Promise<number> {
    if (await this.database.hasRows(KEYED_RUNS_WAITING)) await this.release();
    return POLL_MS;
  }

  /** Looks at the next keys. */
  async release(): Promise<void> {
    const keys = await listWaitingKeys(this.database, this.after, KEYS);
    this.after = keys.length < KEYS ? null : (keys.at(-1) ?? null);
    if (keys.length === 0) return;
    await deleteLostPlaces(this.database, keys);
    const filled = await this.database.transaction((tx) => fillPlaces(tx, keys));
    const freed = await freeRuns(this.database, keys, FREED);
    if (filled.length + freed.length > 0) await this.runs.publish([...filled, ...freed]);
  }
}
