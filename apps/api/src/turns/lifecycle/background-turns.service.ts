import { Injectable } from '@nestjs/common';
import type { ChatResponse, MessageContent } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Database } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { loadTurnsByIds, countRunning, lockTurnsAhead } from './background-turns.store.ts';
import { CancellationService } from './cancellation.service.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { SegmentReaderService } from '../answers/segment-reader.service.ts';
import type { NewTurn, TurnRunBy } from './turn-start.ts';
import { TurnStarterService } from './turn-starter.service.ts';
import { loadExtents, type TurnExtent } from './turn-queue.store.ts';
import { TurnRunnerService } from '../engine/turn-runner.service.ts';
import { findTurn, findUserParts, loadSegments, loadSettings } from '../records/turn.store.ts';
import type { TurnFailure, TurnRow } from '../records/turn.ts';
import { loadAttachmentLinks, showPart } from '../sessions/attachment-links.ts';
import { TurnsService } from './turns.service.ts';

/** Turns that no request waits for: queued first, run later, and read once they have ended. */
@Injectable()
export class BackgroundTurnsService {
  constructor(
    private readonly database: Database,
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

  /** Loads turns by their row ids. */
  byIds(ids: readonly string[]): Promise<Map<string, TurnRow>> {
    return loadTurnsByIds(this.database, ids);
  }

  /** Returns the user's turn with that client id, or null. */
  find(agentId: string, userId: string, turnId: string): Promise<TurnRow | null> {
    return findTurn(this.database, agentId, userId, turnId);
  }

  /** Counts the turns that each of the users runs now, in all processes. */
  countRunning(userIds: readonly string[]): Promise<Map<string, number>> {
    return countRunning(this.database, userIds);
  }

  /** Whether the turn has to wait for its session. The turns ahead do not move until the transaction ends. */
  lockAhead(tx: EntityManager, turn: TurnRow): Promise<boolean> {
    return lockTurnsAhead(tx, turn);
  }

  /** QUEUED or FAILED → RUNNING in this process, with what `also` stores. Throws `TurnChanged` if it is neither. */
  run(
    turn: TurnRow,
    from: 'QUEUED' | 'FAILED',
    by: TurnRunBy,
    also: (tx: EntityManager) => Promise<void>,
  ): Promise<OpenedSegment> {
    return this.starter.run(turn, from, by, also);
  }

  /** Resolves when this process does not run the stream's turn, or no longer does. */
  ended(streamId: string): Promise<void> {
    return this.runner.ended(streamId);
  }

  /** Cancels a turn in whatever state it is; `why` is stored with a turn that is not running. */
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

  /** Returns how far the turns have come. Turns that never ran are omitted. */
  extents(turnRefs: string[], sql: Sql = this.database): Promise<Map<string, TurnExtent>> {
    return loadExtents(sql, turnRefs);
  }

  /** Returns the message of a turn, with media as links, and its variables; null if they were deleted. */
  async inputOf({
    id,
    agentId,
    sessionName,
    sessionDeleted,
  }: TurnRow): Promise<{ contents: MessageContent[]; variables: Record<string, unknown> } | null> {
    const parts = sessionDeleted ? null : await findUserParts(this.database, id);
    if (parts === null) return null;
    const linkOf = await loadAttachmentLinks(this.database, { agentId, sessionId: sessionName }, parts);
    const { variables } = await loadSettings(this.database, id);
    return { contents: parts.map((part) => showPart(part, linkOf)), variables };
  }

  /** Returns the answer of a turn that has completed or asks a question, and the whole text of a canceled one; otherwise null. */
  async answerOf(turn: TurnRow): Promise<ChatResponse | null> {
    if (turn.status === 'QUEUED' || turn.status === 'RUNNING' || turn.status === 'FAILED') return null;
    const last = (await loadSegments(this.database, turn.id)).at(-1);
    const opened = last && (await this.turns.openRecordedIfEnded(turn, last));
    // If there is no ended segment, the turn has continued since it was read.
    if (!opened) return null;
    const answer = await this.reader.collect(opened, new AbortController().signal);
    return turn.status === 'CANCELLED' ? this.turns.collectAllSegments(turn, answer) : answer;
  }
}
