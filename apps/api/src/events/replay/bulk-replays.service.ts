import { Injectable } from '@nestjs/common';
import type { BulkReplay, Page, ReplayPreview, ReplayQuery } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { listRunningBulkWork, lockBulkStarts, stopBulkWork } from '../../infra/bulk/bulk-work.store.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { Database } from '../../infra/database/database.ts';
import { insertRow } from '../../infra/database/entity-rows.ts';
import { conflict, invalid } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { RunLineageService } from '../../tasks/runs/run-lineage.service.ts';
import { BulkReplayEntity } from './bulk-replay.entity.ts';
import { BulkReplayWorker } from './bulk-replay.worker.ts';
import { BULK_REPLAYS, getBulkReplay, listBulkReplays } from './bulk-replays.store.ts';
import { limitOf } from './replay-limits.service.ts';
import { ReplaySelectionService } from './replay-selection.service.ts';
import { isSameReplay } from './same-replay.ts';
import type { CreateBulkReplayDto, ReplayQueryDto } from './replays.dto.ts';

const DEFAULT_PER_SECOND = 50;

@Injectable()
export class BulkReplaysService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly selection: ReplaySelectionService,
    private readonly worker: BulkReplayWorker,
    private readonly lineage: RunLineageService,
  ) {}

  /** Counts the envelopes that a bulk replay would replay. */
  async preview(spaceId: string, body: ReplayQueryDto): Promise<ReplayPreview> {
    const query = toQuery(body);
    const counted = await this.selection.count(this.database.manager, spaceId, query);
    return { ...counted, runningId: await this.findSame(this.database, spaceId, query) };
  }

  /** Begins to replay envelopes, oldest first. A worker process executes it. */
  async create({ by, requestId }: AuditedCall, body: CreateBulkReplayDto): Promise<BulkReplay> {
    const query = toQuery(body);
    await this.assertNotCaused(by);
    const { count } = await this.selection.count(this.database.manager, by.spaceId, query);
    const create = async (tx: EntityManager) => {
      await lockBulkStarts(tx, BULK_REPLAYS, by.spaceId);
      const runningId = body.alongside === true ? null : await this.findSame(tx, by.spaceId, query);
      if (runningId !== null)
        throw conflict(
          `Bulk replay ${runningId} of the same events is running: wait for it, stop it, or set alongside`,
        );
      const row = await insertRow(tx, BulkReplayEntity, {
        spaceId: by.spaceId,
        requestedBy: by.userId,
        query,
        total: count,
        perSecond: body.perSecond ?? DEFAULT_PER_SECOND,
      });
      const entry = { action: 'bulk-replay.create' as const, targetType: 'bulk-replay', targetId: row.id };
      await recordAudit(tx, by, { ...entry, details: { ...query }, requestId });
      return row;
    };
    // A client that repeats the request because of an error would begin another bulk replay.
    const committed = ({ id }: BulkReplayEntity) =>
      this.database.manager.existsBy(BulkReplayEntity, { spaceId: by.spaceId, id });
    const created = await this.database.transaction(create, { committed });
    this.worker.wake();
    return toBulkReplay(created);
  }

  /** The running bulk replay that replays the same. */
  private async findSame(sql: Sql, spaceId: string, query: ReplayQuery): Promise<string | null> {
    const running = await listRunningBulkWork<ReplayQuery>(sql, BULK_REPLAYS, spaceId);
    return running.find((other) => isSameReplay(other.query, query))?.id ?? null;
  }

  /** A bulk replay cannot be placed in the chain of a run, so a run that is part of one begins none: it could repeat itself. */
  private async assertNotCaused(by: AuditedCall['by']): Promise<void> {
    const run = await this.lineage.find(this.database, by);
    if (run !== null && run.path !== null)
      throw conflict('A run that an event or another run has started cannot begin a bulk replay');
  }

  /** Lists the bulk replays of a space, newest first. */
  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<BulkReplay>> {
    const filter = { bulkReplaysOf: spaceId };
    const below = this.cursors.idAfter(cursor, filter);
    const fetched = await listBulkReplays(this.database.manager, spaceId, below, limit + 1);
    return this.cursors.page(fetched, limit, filter, ({ id }) => [id], toBulkReplay);
  }

  async get(spaceId: string, id: string): Promise<BulkReplay> {
    return toBulkReplay(await getBulkReplay(this.database.manager, spaceId, id));
  }

  /** Stops a bulk replay: when it returns, no further envelope is replayed. What was replayed already is dispatched. */
  async stop({ by, requestId }: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await getBulkReplay(tx, by.spaceId, id);
      if (!(await stopBulkWork(tx, BULK_REPLAYS, id))) return;
      const entry = { action: 'bulk-replay.stop' as const, targetType: 'bulk-replay', targetId: id };
      await recordAudit(tx, by, { ...entry, requestId });
    });
  }
}

function toQuery({ applicationIdentifier, event, status, from, to, ...limit }: ReplayQueryDto): ReplayQuery {
  if (new Date(from) >= new Date(to)) throw invalid('to must be later than from');
  return {
    applicationIdentifier: applicationIdentifier ?? null,
    event: event ?? null,
    status: status ?? null,
    from,
    to,
    ...limitOf(limit),
  };
}

function toBulkReplay(row: BulkReplayEntity): BulkReplay {
  const { id, status, query, perSecond, total, replayed, refused, lastError, createdAt, finishedAt } = row;
  return {
    id,
    status,
    query,
    perSecond,
    total,
    replayed,
    refused,
    lastError,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
