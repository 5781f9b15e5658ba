import { Injectable } from '@nestjs/common';
import type { SegmentOrigin } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { pipelined } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/http/app-error.ts';
import type { ResolvedModel } from '../../models/catalog.service.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { forgetPages } from '../context/context.store.ts';
import { ActiveTurn, type ClaimedTurn } from '../engine/active-turn.ts';
import { reserveForCall } from '../engine/turn-billing.ts';
import { hashContents, titleOf } from '../input/contents.ts';
import { storeParts } from '../input/media.ts';
import { holdSession } from '../records/turn-queue.store.ts';
import {
  claimTurn,
  deletePartialSteps,
  insertStep,
  insertTurn,
  loadSteps,
  lockSession,
  moveToEnd,
  nextSegment,
  runningTurns,
} from '../records/turn.store.ts';
import type { TurnRow } from '../records/turn.ts';
import { openSegment } from './open-segment.ts';
import type { PreparedTurn } from './turn-preparation.service.ts';
import { TurnChanged, type TurnRunBy } from './turn-start.ts';
import { WaitingTurns } from './waiting-turns.service.ts';

/** When a user who runs too many turns may try again. */
const RETRY_AFTER_S = 5;

/** How a known turn continues. */
export interface Continuation {
  turn: TurnRow;
  from: 'QUEUED' | 'FAILED' | 'INPUT_REQUIRED';
  origin: SegmentOrigin;
  by: TurnRunBy;
  model: ResolvedModel;
  /** Stores what belongs to the new segment. */
  also: (tx: EntityManager, segment: number, nextStep: number) => Promise<void>;
}

/** The transactions that store new turns and move turns into RUNNING; the caller opens them. */
@Injectable()
export class TurnClaims {
  constructor(
    private readonly config: PlatformConfig,
    private readonly streams: StreamsService,
    private readonly usage: UsageService,
    private readonly waiting: WaitingTurns,
  ) {}

  /** Stores a new turn that runs at once. Throws `TurnChanged` if its id is taken. */
  async start(tx: EntityManager, prepared: PreparedTurn): Promise<ActiveTurn> {
    const stored = await this.insert(tx, prepared, 'RUNNING');
    const { turnId, sessionName, agent, caller, model, settings, requestId } = prepared;
    return this.open(tx, {
      id: stored.id,
      turnId,
      userId: caller.userId,
      causationRunId: caller.causationRunId,
      session: { ref: stored.sessionRef, name: sessionName },
      n: stored.n,
      agent,
      model,
      settings,
      requestId,
      origin: 'start',
      segment: 1,
      steps: stored.steps,
      nextStep: 2,
    });
  }

  /**
   * Stores the session, the turn, and the user's message, and ends the turns of the session that wait for an answer.
   * Throws `TurnChanged` if the id of the turn is taken, and RATE_LIMITED if the user runs too many turns.
   */
  async insert(tx: EntityManager, prepared: PreparedTurn, status: 'RUNNING' | 'QUEUED') {
    const { agent, caller, sessionName, settings, turnId, contents, parts, tokens } = prepared;
    const owner = { spaceId: agent.spaceId, agentId: agent.id, userId: caller.userId };
    const hidden = prepared.hidden ?? false;
    const session = await lockSession(tx, owner, {
      name: sessionName,
      title: titleOf(contents),
      hidden,
      // The result of a job is kept, even if the job runs without memory.
      expires: hidden && settings.source === 'execute',
      counted: status === 'RUNNING',
    });
    if (status === 'RUNNING') this.assertRoom(session.running + 1);
    const id = session.turnRef;
    const stored = await storeParts(tx, { spaceId: agent.spaceId, sessionRef: session.id }, parts);
    const message = { kind: 'user' as const, content: { parts: stored }, tokens };
    const turn = insertTurn(tx, {
      ...owner,
      id,
      sessionRef: session.id,
      n: session.turnCount,
      turnId,
      contentsHash: hashContents(contents, settings.variables),
      settings,
      model: prepared.model.name,
      status,
      causationRunId: caller.causationRunId,
    });
    const step = insertStep(tx, id, 1, message);
    // The step fails if the turn was not stored.
    await Promise.allSettled([turn, step]);
    if (!(await turn)) throw new TurnChanged();
    // After the insert, which waits for a turn that is about to ask its question.
    if (session.turnCount > 1) await this.waiting.dismiss(tx, session.id);
    return {
      id,
      sessionRef: session.id,
      n: session.turnCount,
      steps: [{ ...message, n: 1, id: await step }],
    };
  }

  /** Moves a known turn into RUNNING. Throws `TurnChanged` if it has left the state `from`. */
  async continue(
    tx: EntityManager,
    { turn, from, origin, by, model, also }: Continuation,
  ): Promise<ActiveTurn> {
    await holdSession(tx, turn.sessionRef);
    const place = await claimTurn(tx, turn.id, from, model.name);
    if (place === null) throw new TurnChanged();
    if (from === 'FAILED') {
      await deletePartialSteps(tx, turn.id);
      await forgetPages(tx, turn.sessionRef, place);
    }
    const n = from === 'INPUT_REQUIRED' ? place : await moveToEnd(tx, { ...turn, n: place });
    this.assertRoom(await runningTurns(tx, by.userId));
    await this.waiting.dismiss(tx, turn.sessionRef);
    const segment = await nextSegment(tx, turn.id);
    const before = await loadSteps(tx, turn.id);
    await also(tx, segment, (before.at(-1)?.n ?? 0) + 1);
    const steps = await loadSteps(tx, turn.id);
    return this.open(tx, {
      id: turn.id,
      turnId: turn.turnId,
      userId: by.userId,
      causationRunId: turn.causationRunId,
      session: { ref: turn.sessionRef, name: turn.sessionName },
      n,
      agent: by.agent,
      model,
      settings: turn.settings,
      requestId: by.requestId,
      origin,
      segment,
      steps: steps.filter((step) => step.kind !== 'partial'),
      nextStep: (steps.at(-1)?.n ?? 0) + 1,
    });
  }

  private assertRoom(running: number): void {
    const most = this.config.maxRunningTurns;
    if (running <= most) return;
    const message = `At most ${most} turns of a user run at once; try again when one of them has ended`;
    throw new AppError('RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S });
  }

  private async open(
    tx: EntityManager,
    claimed: Omit<ClaimedTurn, 'writer'> & { segment: number },
  ): Promise<ActiveTurn> {
    const { id, turnId, session, agent, model, settings, steps, segment, origin, requestId } = claimed;
    const prompt = steps.reduce((sum, step) => sum + step.tokens, Math.ceil(agent.systemPrompt.length / 4));
    const output = Math.min(settings.maxTokens ?? Infinity, model.maxOutputTokens);
    const { writer, opened } = openSegment(tx, this.streams, {
      turnRef: id,
      turnId,
      sessionName: session.name,
      agentId: agent.id,
      model: model.name,
      segment,
      origin,
      requestId,
      runs: true,
    });
    const turn = new ActiveTurn({ ...claimed, writer });
    // Last in the transaction, because it locks accounts.
    const reserved = reserveForCall(tx, this.usage, turn.payer, prompt, output);
    [, turn.reservationId] = await pipelined(opened, reserved);
    return turn;
  }
}
