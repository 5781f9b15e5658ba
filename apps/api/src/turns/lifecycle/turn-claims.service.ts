import { Injectable } from '@nestjs/common';
import type { SegmentOrigin } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { pipelined } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { forgetPages } from '../context/context.store.ts';
import { ActiveTurn, type ClaimedTurn } from '../engine/active-turn.ts';
import { reserveForCall } from '../engine/turn-billing.ts';
import { hashContents, titleOf } from '../input/contents.ts';
import { storeParts } from '../input/media.service.ts';
import { lockKnownSession } from './turn-queue.store.ts';
import {
  deletePartialSteps,
  insertStep,
  insertTurn,
  loadSteps,
  lockSession,
  moveToEnd,
  nextSegment,
  runningTurns,
} from '../records/turn.store.ts';
import { payerOf } from '../records/payer.ts';
import type { Step } from '../records/steps.ts';
import type { TurnFailure, TurnRow, TurnSettings } from '../records/turn.ts';
import { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';
import { createSegment, storeSegment } from './open-segment.ts';
import type { PreparedTurn } from './turn-preparation.service.ts';
import { TurnChanged, type TurnRunBy } from './turn-start.ts';
import { WaitingTurnsService } from './waiting-turns.service.ts';

/** How long a user who runs too many turns should wait before the next attempt. */
const RETRY_AFTER_S = 5;

/** Where a new turn is stored. */
interface TurnPlace {
  id: string;
  sessionRef: string;
  n: number;
  parts: Awaited<ReturnType<typeof storeParts>>;
}

/** How a known turn continues. */
export interface Continuation {
  turn: TurnRow;
  from: 'QUEUED' | 'FAILED' | 'INPUT_REQUIRED';
  origin: SegmentOrigin;
  by: TurnRunBy;
  settings: TurnSettings;
  model: ResolvedModel;
  /** Stores what belongs to the new segment. */
  also: (tx: EntityManager, segment: number, nextStep: number) => Promise<void>;
}

/** The transactions that store new turns and move turns into RUNNING; the caller opens them. */
@Injectable()
export class TurnClaimsService {
  constructor(
    private readonly config: PlatformConfig,
    private readonly streams: StreamsService,
    private readonly usage: UsageService,
    private readonly waiting: WaitingTurnsService,
    private readonly transitions: TurnTransitionsService,
  ) {}

  /**
   * Stores a new turn that runs at once. Throws `TurnChanged` if its id is taken, and RATE_LIMITED if the user runs too many
   * turns. It takes two round trips: the lock of the session, which is sent with BEGIN, and everything else.
   */
  async start(tx: EntityManager, prepared: PreparedTurn, mayHaveCancelRequest: boolean): Promise<ActiveTurn> {
    const place = await this.takePlace(tx, prepared, 'RUNNING');
    const stored = this.storeTurn(tx, prepared, place, 'RUNNING');
    if (place.n > 1) await this.dismissWaiting(tx, place, stored);
    const { turnId, sessionName, agent, caller, model, settings, requestId } = prepared;
    const claimed = {
      id: place.id,
      turnId,
      userId: caller.userId,
      causationRunId: caller.causationRunId,
      session: { ref: place.sessionRef, name: sessionName },
      n: place.n,
      agent,
      model,
      settings,
      requestId,
      origin: 'start' as const,
      mayHaveCancelRequest,
      segment: 1,
      nextStep: 2,
    };
    return this.open(tx, claimed, prepared.tokens, stored);
  }

  /**
   * Stores a new turn that waits. Throws `TurnChanged` if its id is taken. Returns the row ids of the turn and of its
   * session.
   */
  async queue(tx: EntityManager, prepared: PreparedTurn): Promise<{ id: string; sessionRef: string }> {
    const place = await this.takePlace(tx, prepared, 'QUEUED');
    const stored = this.storeTurn(tx, prepared, place, 'QUEUED');
    if (place.n > 1) await this.dismissWaiting(tx, place, stored);
    await stored;
    return place;
  }

  /** Moves a known turn into RUNNING. Throws `TurnChanged` if it has left the state `from`, or its session is deleted. */
  async continue(
    tx: EntityManager,
    { turn, from, origin, by, settings, model, also }: Continuation,
  ): Promise<ActiveTurn> {
    if (!(await lockKnownSession(tx, turn.sessionRef))) throw new TurnChanged();
    const place = await this.transitions.claim(tx, turn, from, model.name);
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
    const all = await loadSteps(tx, turn.id);
    const steps = all.filter((step) => step.kind !== 'partial');
    const claimed = {
      id: turn.id,
      turnId: turn.turnId,
      userId: by.userId,
      causationRunId: turn.causationRunId,
      session: { ref: turn.sessionRef, name: turn.sessionName },
      n,
      agent: by.agent,
      model,
      settings,
      requestId: by.requestId,
      origin,
      mayHaveCancelRequest: origin === 'start',
      segment,
      nextStep: (all.at(-1)?.n ?? 0) + 1,
    };
    const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
    return this.open(tx, claimed, tokens, steps);
  }

  /** Ends a queued turn that may not run. Returns false if it has started or ended. */
  reject(tx: EntityManager, turn: TurnRow, why: TurnFailure): Promise<boolean> {
    return this.transitions.fail(tx, turn, why);
  }

  /** Locks the session, which it creates if necessary, and decides the row id and the number of the turn. */
  private async takePlace(
    tx: EntityManager,
    prepared: PreparedTurn,
    status: 'RUNNING' | 'QUEUED',
  ): Promise<TurnPlace> {
    const { agent, caller, sessionName, settings, contents, parts } = prepared;
    const { spaceId } = agent;
    const hidden = prepared.hidden ?? false;
    const owner = { spaceId, agentId: agent.id, userId: caller.userId };
    const session = await lockSession(tx, owner, {
      name: sessionName,
      title: titleOf(contents),
      hidden,
      // The result of a job is kept, even if the job runs without memory.
      expires: hidden && settings.source === 'execute',
      counted: status === 'RUNNING',
    });
    if (status === 'RUNNING') this.assertRoom(session.running + 1);
    const { id: sessionRef, turnRef: id, turnCount: n } = session;
    return { id, sessionRef, n, parts: await storeParts(tx, { spaceId, sessionRef }, parts) };
  }

  /** Stores the turn and the user's message. Returns the message. Can be `pipelined`. */
  private async storeTurn(
    tx: EntityManager,
    prepared: PreparedTurn,
    { id, sessionRef, n, parts }: TurnPlace,
    status: 'RUNNING' | 'QUEUED',
  ): Promise<Step[]> {
    const { agent, caller, settings, turnId, contents, tokens } = prepared;
    const message = { kind: 'user' as const, content: { parts }, tokens };
    const turn = insertTurn(tx, {
      spaceId: agent.spaceId,
      agentId: agent.id,
      userId: caller.userId,
      id,
      sessionRef,
      n,
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
    return [{ ...message, n: 1, id: await step }];
  }

  /** After the insert of the new turn, which waits for a turn that is about to ask its question. */
  private async dismissWaiting(
    tx: EntityManager,
    { sessionRef }: TurnPlace,
    stored: Promise<Step[]>,
  ): Promise<void> {
    await stored;
    await this.waiting.dismiss(tx, sessionRef);
  }

  private assertRoom(running: number): void {
    const most = this.config.maxRunningTurns;
    if (running <= most) return;
    const message = `At most ${most} turns of a user run at once; try again when one of them has ended`;
    throw new AppError('RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S });
  }

  /**
   * Opens the segment of a claimed turn, and reserves tokens for its first call. `tokens` is the size of its steps, which
   * may still be on their way to the database.
   */
  private async open(
    tx: EntityManager,
    claimed: Omit<ClaimedTurn, 'writer' | 'payer' | 'steps'> & { segment: number },
    tokens: number,
    stored: Step[] | Promise<Step[]>,
  ): Promise<ActiveTurn> {
    const { id, turnId, session, agent, model, settings, segment, origin, requestId } = claimed;
    const prompt = tokens + Math.ceil(agent.systemPrompt.length / 4);
    const output = Math.min(settings.maxTokens ?? Infinity, model.maxOutputTokens);
    const payer = payerOf({ ...claimed, spaceId: agent.spaceId, agentId: agent.id, model: model.name });
    const opening = {
      turnRef: id,
      turnId,
      sessionName: session.name,
      agentId: agent.id,
      model: model.name,
      segment,
      origin,
      requestId,
      runs: true,
    };
    const writer = createSegment(this.streams, opening);
    const [steps, , reservationId] = await pipelined(
      stored,
      storeSegment(tx, this.streams, writer, opening),
      // Last in the transaction, because it locks accounts.
      reserveForCall(tx, this.usage, payer, prompt, output),
    );
    const turn = new ActiveTurn({ ...claimed, writer, payer, steps });
    turn.reservationId = reservationId;
    return turn;
  }
}
