import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { ChangeEvent, ChangeKind } from '@platform/contracts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { ChangeSourcesRegistry } from '../infra/changes/change-sources.registry.ts';
import { BackgroundDatabase } from '../infra/database/database.ts';
import { SweeperWorker } from '../infra/database/sweeper.worker.ts';
import { Cursors } from '../infra/requests/cursors.ts';
import { PollLoop } from '../infra/runtime/poll-loop.ts';
import { ChangeReader } from './change-reader.ts';
import * as store from './changes.store.ts';
import { MAX_POLLED, PolledRows } from './polled-rows.ts';

const POLL_MS = 1_000;
/** `wake` ends it. */
const IDLE_MS = 60_000;
/** A quiet stream tells its position, from which a reader resumes, in every so many polls. */
const POLLS_BETWEEN_POSITIONS = 30;
/** How long a reader may have been away to resume. What is older is purged some minutes later. */
const RESUMABLE_MS = 10 * 60_000;
/** How many changes a poll reads. If there are more, all readers start anew. */
const MAX_READ = 20_000;
/** How many of these it looks at for each space and kind. If there are more, any of the kind may have changed. */
const MAX_OF_KIND = 500;
const READ = { limit: MAX_READ, perKind: MAX_OF_KIND + 1 };

/** A space that someone follows in this process. */
class FollowedSpace {
  readonly readers = new Set<ChangeReader>();
  readonly polled = new Map<string, PolledRows>();
  /**
   * Resolves when what its readers fetch from now on is not older than what they will be told. Rejects if the database cannot be
   * read before.
   */
  readonly covered = Promise.withResolvers<undefined>();

  constructor() {
    // Its readers may have left.
    this.covered.promise.catch(() => undefined);
  }
}

/**
 * Tells what changes in a space to those who follow it. One loop reads for all of them, and only while there is someone; each
 * process reads for its own readers, so they can be anywhere.
 */
@Injectable()
export class ChangesService
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger(ChangesService.name);
  private readonly spaces = new Map<string, FollowedSpace>();
  private readonly loop = new PollLoop(() => this.poll());
  private readonly stopping = new AbortController();
  private seen: store.Seen | null = null;
  private polls = 0;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly cursors: Cursors,
    private readonly registry: ChangeSourcesRegistry,
    private readonly sweeper: SweeperWorker,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
    this.sweeper.register('changes', (limit) => store.purgeChanges(this.database, limit));
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /**
   * Yields what changes, as Server-Sent Events, from the position on; without one, or if it is too old, from now on, after a
   * `reset`. Whatever a caller fetches after the first event is not older than the events that follow.
   */
  async *follow(
    caller: UserPrincipal,
    position: string | undefined,
    left: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    const signal = AbortSignal.any([left, this.stopping.signal]);
    const reader = new ChangeReader(caller, signal);
    const space = this.join(reader);
    try {
      // A wake of the reader ends the wait if it leaves.
      await Promise.race([space.covered.promise, reader.sleep()]);
      if (!signal.aborted) await this.catchUp(reader, position);
      while (!signal.aborted) {
        yield encode(reader.pending.take(), this.position(caller));
        if (reader.pending.isEmpty) await reader.sleep();
      }
    } finally {
      this.leave(reader, space);
    }
  }

  private join(reader: ChangeReader): FollowedSpace {
    const { spaceId } = reader.caller;
    const space = this.spaces.get(spaceId) ?? new FollowedSpace();
    this.spaces.set(spaceId, space);
    space.readers.add(reader);
    if (space.readers.size === 1) this.loop.wake();
    return space;
  }

  private leave(reader: ChangeReader, space: FollowedSpace): void {
    space.readers.delete(reader);
    const { spaceId } = reader.caller;
    if (space.readers.size === 0 && this.spaces.get(spaceId) === space) this.spaces.delete(spaceId);
  }

  /** Tells what has changed since the position. Of tables that are polled, nobody knows what changed meanwhile. */
  private async catchUp(reader: ChangeReader, position: string | undefined): Promise<void> {
    const { spaceId } = reader.caller;
    const since = this.snapshotAt(reader.caller, position);
    const isKnown = since !== null && (await store.isOfThisDatabase(this.database, since));
    const read = isKnown ? await store.readChanges(this.database, since, [spaceId], READ) : null;
    if (read === null || read.isCut) {
      reader.pending.reset();
      return;
    }
    for (const [kind, changes] of byKind(read.changes)) tellOf(reader, kind, changes);
    for (const { kind } of this.registry.sources) reader.tellAll(kind);
  }

  /** The snapshot of a position that was issued in this space and is recent; otherwise null. */
  private snapshotAt({ spaceId }: UserPrincipal, position: string | undefined): string | null {
    const [at, snapshot] = this.cursors.find(position, { changesOf: spaceId }) ?? [];
    if (typeof at !== 'number' || typeof snapshot !== 'string' || this.seen === null) return null;
    return this.seen.at - at <= RESUMABLE_MS ? snapshot : null;
  }

  private position({ spaceId }: UserPrincipal): string | null {
    if (this.seen === null) return null;
    return this.cursors.encode([this.seen.at, this.seen.snapshot], { changesOf: spaceId });
  }

  private async poll(): Promise<number> {
    const followed = new Map(this.spaces);
    if (followed.size === 0) {
      this.seen = null;
      return IDLE_MS;
    }
    try {
      await this.read(followed);
    } catch (error) {
      // What was not read is read by the next poll. Who has not received anything yet is told at once.
      for (const { covered } of followed.values()) covered.reject(error);
      if (!this.loop.signal.aborted)
        this.logger.warn({ err: error }, 'Changes could not be read; will retry');
    }
    return POLL_MS;
  }

  private async read(followed: Map<string, FollowedSpace>): Promise<void> {
    const ids = [...followed.keys()];
    const read = await store.readChanges(this.database, this.seen?.snapshot ?? null, ids, READ);
    const changed = bySpace(read.changes);
    for (const [id, space] of followed) {
      for (const [kind, changes] of byKind(changed.get(id) ?? [])) {
        for (const reader of space.readers) tellOf(reader, kind, changes);
        for (const { refId } of changes) space.polled.get(kind)?.track(refId);
      }
      if (read.isCut) for (const reader of space.readers) reader.pending.reset();
    }
    this.seen = read.seen;
    await this.readPolled(followed);
    this.polls++;
    for (const space of followed.values()) {
      space.covered.resolve(undefined);
      for (const reader of space.readers)
        if (!reader.pending.isEmpty || this.polls % POLLS_BETWEEN_POSITIONS === 0) reader.wake();
    }
  }

  private async readPolled(followed: Map<string, FollowedSpace>): Promise<void> {
    for (const source of this.registry.sources) {
      const { kind } = source;
      const current = bySpace(await source.listCurrent(this.database, [...followed.keys()], MAX_POLLED));
      const missing = [...followed].flatMap(([id, space]) =>
        polledOf(space, kind).missing(current.get(id) ?? []),
      );
      const found = missing.length === 0 ? [] : await source.listByIds(this.database, missing);
      const looked = bySpace(found);
      for (const [id, space] of followed) {
        const rows = [...(current.get(id) ?? []), ...(looked.get(id) ?? [])];
        const { changed, isAll } = polledOf(space, kind).advance(rows);
        for (const reader of space.readers) {
          if (isAll) reader.tellAll(kind);
          for (const row of changed)
            reader.tell({ kind, audience: [row.ownerUserId], forAdmins: true }, row.id, row.status);
        }
      }
    }
  }
}

function polledOf({ polled }: FollowedSpace, kind: string): PolledRows {
  const known = polled.get(kind) ?? new PolledRows();
  polled.set(kind, known);
  return known;
}

/** One space that changes a lot concerns its own readers only. */
function tellOf(reader: ChangeReader, kind: ChangeKind, changes: readonly store.Change[]): void {
  if (changes.length > MAX_OF_KIND) reader.tellAll(kind);
  else for (const change of changes) reader.tell(change, change.refId, change.status);
}

function byKind(changes: readonly store.Change[]): Map<ChangeKind, store.Change[]> {
  return Map.groupBy(changes, ({ kind }) => kind);
}

function bySpace<T extends { spaceId: string }>(found: readonly T[]): Map<string, T[]> {
  return Map.groupBy(found, ({ spaceId }) => spaceId);
}

/** The position stands at the last event: a reader that was cut off in between is told the others again. */
function encode(events: readonly ChangeEvent[], position: string | null): Buffer {
  const told = events.map((event) => `data: ${JSON.stringify(event)}\n`);
  const id = position === null ? '' : `id: ${position}\n`;
  const last = told.pop() ?? '';
  return Buffer.from([...told, `${id}${last}`].map((event) => `${event}\n`).join(''));
}
