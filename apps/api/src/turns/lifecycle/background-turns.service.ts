import { Injectable } from '@nestjs/common';
import type { ChatResponse } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { Sql } from '../../infra/database/rows.ts';
import { turnsByIds, countRunning, lockTurnsAhead } from './background-turns.store.ts';
import { CancellationService } from './cancellation.service.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { SegmentReaderService } from '../answers/segment-reader.service.ts';
import type { NewTurn, TurnRunBy } from './turn-start.ts';
import { TurnStarterService } from './turn-starter.service.ts';
import { extentsOf, type TurnExtent } from './turn-queue.store.ts';
import { TurnRunnerService } from '../engine/turn-runner.service.ts';
import { findTurn, loadSegments } from '../records/turn.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { TurnsService } from './turns.service.ts';

/** Turns that no request waits for: queued first, run later, and read once they have ended. */
@Injectable()
export class BackgroundTurnsService {
  constructor(
    private readonly database: DataSource,
    private readonly starter: TurnStarterService,
    private readonly runner: TurnRunnerService,
    private readonly cancellation: CancellationService,
    private readonly turns: TurnsService,
    private readonly reader: SegmentReaderService,
  ) {}

  /** Stores a queued turn together with what `also` stores. Throws `TurnChanged` if its id is taken. */
  async queue(
    turn: NewTurn,
    also: (tx: EntityManager, turn: { id: string; sessionRef: string }) => Promise<void>,
  ): Promise<void> {
    await this.starter.queue(turn, also);
    await this.cancellation.forwardEarly(turn.agent.id, turn.caller.userId, turn.turnId);
  }

  /** Turns by their own ids. */
  byIds(ids: readonly string[]): Promise<Map<string, TurnRow>> {
    return turnsByIds(this.database, ids);
  }

  /** The user's turn with that client id, or null. */
  find(agentId: string, userId: string, turnId: string): Promise<TurnRow | null> {
    return findTurn(this.database, agentId, userId, turnId);
  }

  /** How many turns each of the users runs now, in all processes. */
  countRunning(userIds: readonly string[]): Promise<Map<string, number>> {
    return countRunning(this.database, userIds);
  }

  /** Whether the turn has to wait for its session. The turns ahead do not move until the transaction ends. */
  lockAhead(tx: EntityManager, turn: TurnRow): Promise<boolean> {
    return lockTurnsAhead(tx, turn);
  }

  /** QUEUED or FAILED → RUNNING in this process, with what `also` does. Throws `TurnChanged` if it is neither. */
  run(
    turn: TurnRow,
    from: 'QUEUED' | 'FAILED',
    by: TurnRunBy,
    also: (tx: EntityManager) => Promise<void>,
  ): Promise<OpenedSegment> {
    return this.starter.run(turn, from, by, also);
  }

  /** Resolves when this process does not run the stream's turn, or no longer. */
  ended(streamId: string): Promise<void> {
    return this.runner.ended(streamId);
  }

  /** Stops a turn wherever it is; `why` is kept with one that had not begun or was waiting. */
  stop(turn: TurnRow, why?: TurnFailure) {
    return this.cancellation.stop(turn, why);
  }

  /** Registers what cancels another attempt at a failed turn. */
  onCancelOfFailed(cancelRetry: (turn: TurnRow) => Promise<void>): void {
    this.cancellation.onCancelOfFailed(cancelRetry);
  }

  /** QUEUED → FAILED with its reason. Returns false if the turn has started or ended. */
  reject(turn: TurnRow, why: TurnFailure): Promise<boolean> {
    return this.starter.reject(turn, why);
  }

  /** How far the turns have come; those that never ran are left out. */
  extents(turnRefs: string[], sql: Sql = this.database): Promise<Map<string, TurnExtent>> {
    return extentsOf(sql, turnRefs);
  }

  /** The answer of a turn that completed or asks a question, and all text of a cancelled one. */
  async answerOf(turn: TurnRow): Promise<ChatResponse | null> {
    if (turn.status === 'QUEUED' || turn.status === 'RUNNING' || turn.status === 'FAILED') return null;
    const last = (await loadSegments(this.database, turn.id)).at(-1);
    const opened = last && (await this.turns.recordedIfEnded(turn, last));
    // If there is no ended segment, the turn has continued since it was read.
    if (!opened) return null;
    const answer = await this.reader.collect(opened, new AbortController().signal);
    return turn.status === 'CANCELLED' ? this.turns.collectAllSegments(turn, answer) : answer;
  }
}
