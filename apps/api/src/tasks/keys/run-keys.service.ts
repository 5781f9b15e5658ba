import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { enterKeys, type Entry, type KeyedRun } from './run-keys.store.ts';

/** How long to wait while the places of a key change hands. */
const AGAIN_MS = 10;

/** Places in which runs of a task with the same key execute. Whatever makes a run stop executing passes its place on. */
@Injectable()
export class RunKeysService {
  // Those that were claimed together are served in the order in which they were created.
  private readonly entries = new Batched<KeyedRun, Entry>((runs) =>
    this.database.transaction((tx) => enterKeys(tx, runs)),
  );

  constructor(private readonly database: BackgroundDatabase) {}

  /**
   * Takes a place for a claimed run. If there is none, the run is queued until it has one: `waits`. `lost`: it no longer belongs to its
   * claim; that is also the answer if it was given back and nobody learned of it.
   */
  async enter(run: KeyedRun, lost: AbortSignal): Promise<Exclude<Entry, 'again'>> {
    for (;;) {
      const entry = await whileUnavailable(() => this.entries.get(run), lost);
      if (entry === 'enters') failpoint('runs.key-entered', run.runId);
      if (entry === 'waits') failpoint('runs.key-waits', run.runId);
      if (entry !== 'again') return entry;
      await delay(AGAIN_MS, undefined, { signal: lost });
    }
  }
}
