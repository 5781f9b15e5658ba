import { Injectable } from '@nestjs/common';
import type { LimitedStorageKind } from '@platform/contracts';
import { Database } from '../infra/database/database.ts';
import { readTime } from '../infra/database/rows.ts';
import { AppError } from '../infra/errors/app-error.ts';
import { StorageQuotaEntity } from './storage-quota.entity.ts';
import { StorageRegistry } from './storage.registry.ts';

/** For so long, a process believes what it has read. */
const FRESH_MS = 10_000;
const MAX_ROOMS = 10_000;
const NAMES: Record<LimitedStorageKind, string> = { EVENTS: 'events', ROWS: 'data rows' };

/**
 * What a space may still store of a kind, as far as this process knows. Its times are those of `performance.now()`: the clocks of the
 * process and of the database can differ.
 */
export class Room {
  /** Bytes that this process has added, by the time that they are counted by: what was measured may lack the latest. */
  private readonly added = new Map<number, number>();
  private addedBytes = 0;
  private quota: number | null = null;
  private measuredBytes = 0;
  readAt = -Infinity;

  constructor(private readonly kind: LimitedStorageKind) {}

  set(quota: number | null, measuredBytes: number, measuredAt: number): void {
    this.quota = quota;
    this.measuredBytes = measuredBytes;
    this.readAt = performance.now();
    for (const [from, bytes] of this.added)
      if (from < measuredAt) {
        this.added.delete(from);
        this.addedBytes -= bytes;
      }
  }

  /** Takes bytes. Throws QUOTA_EXCEEDED, and takes none, if there is no room for them. */
  take(bytes: number): void {
    if (this.quota === null) return;
    const used = this.measuredBytes + this.addedBytes;
    if (used + bytes > this.quota)
      throw new AppError(
        'QUOTA_EXCEEDED',
        `The ${NAMES[this.kind]} of the space take ${used} bytes, ${bytes} more exceed its quota of ${this.quota}; an admin of the space can raise it`,
      );
    const from = Math.floor(performance.now() / FRESH_MS) * FRESH_MS;
    this.added.set(from, (this.added.get(from) ?? 0) + bytes);
    this.addedBytes += bytes;
  }
}

/** Keeps spaces within their quotas. Each process reads the quotas and what is stored every ten seconds, while it stores. */
@Injectable()
export class StorageQuotasService {
  private readonly rooms = new Map<string, Room>();
  private readonly reading = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly registry: StorageRegistry,
  ) {}

  /** Returns the room of a space; not within a transaction, because it may read. */
  async open(spaceId: string, kind: LimitedStorageKind): Promise<Room> {
    const key = `${spaceId} ${kind}`;
    let room = this.rooms.get(key);
    if (room === undefined) {
      const [oldest] = this.rooms.keys();
      if (oldest !== undefined && this.rooms.size >= MAX_ROOMS) this.rooms.delete(oldest);
      this.rooms.set(key, (room = new Room(kind)));
    }
    if (performance.now() - room.readAt > FRESH_MS) await this.read(key, spaceId, kind, room);
    return room;
  }

  /** Has the next write of the space read its quotas again. */
  forget(spaceId: string): void {
    for (const kind of ['EVENTS', 'ROWS'] as const) {
      const room = this.rooms.get(`${spaceId} ${kind}`);
      if (room) room.readAt = -Infinity;
    }
  }

  private read(key: string, spaceId: string, kind: LimitedStorageKind, room: Room): Promise<void> {
    let reading = this.reading.get(key);
    if (reading === undefined) {
      reading = this.load(spaceId, kind, room).finally(() => this.reading.delete(key));
      this.reading.set(key, reading);
    }
    return reading;
  }

  private async load(spaceId: string, kind: LimitedStorageKind, room: Room): Promise<void> {
    const { manager } = this.database;
    const quotas = await manager.findOneBy(StorageQuotaEntity, { spaceId });
    const quota = (kind === 'EVENTS' ? quotas?.eventBytes : quotas?.rowBytes) ?? null;
    if (quota === null) {
      room.set(null, 0, 0);
      return;
    }
    const { measuredAt, tables } = await this.registry.measure(manager, spaceId, kind);
    const age = (await readTime(manager)).getTime() - measuredAt.getTime();
    const measured = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    room.set(quota, measured, performance.now() - age);
  }
}
