import { Injectable } from '@nestjs/common';
import type { ContentItem, SegmentOrigin } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { transactionWithOutcome } from '../../infra/database/commit.ts';
import { Lanes } from '../../infra/database/lanes.ts';
import { firstRow, violates } from '../../infra/database/rows.ts';
import { failpoint } from '../../infra/failpoints.ts';
import { AppError, conflict, invalid } from '../../infra/http/app-error.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog.service.ts';
import { countTokens, MEDIUM_TOKENS } from '../../models/tokens.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { ActiveTurn, type ClaimedTurn } from '../engine/active-turn.ts';
import { hashContents, titleOf } from '../input/contents.ts';
import {
  answerInteraction,
  endPending,
  moveAnswer,
  moveAnswerOf,
  type InteractionRow,
} from '../records/interaction.store.ts';
import { Media, storeParts, type LoadedPart } from '../input/media.ts';
import { answerText, type UserAnswer } from '../records/questions.ts';
import { reserveForCall } from '../engine/turn-billing.ts';
import { keepCompleted } from '../records/segment-history.ts';
import { completedOf, writeCancelledFrames } from '../answers/closing-frames.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { holdSession } from '../records/turn-queue.store.ts';
import { TurnRunner } from '../engine/turn-runner.ts';
import {
  cancelWaiting,
  claimTurn,
  deletePartialSteps,
  moveToEnd,
  insertStep,
  insertSegment,
  insertTurn,
  loadSteps,
  lockSession,
  runningTurn,
  runningTurns,
  loadSegments,
  waitingTurns,
} from '../records/turn.store.ts';
import type { TurnFailure, TurnRow, TurnSettings } from '../records/turn.ts';
import { forgetPages } from '../context/context.store.ts';

/** When a user whose turns are too many may come again. */
const RETRY_AFTER_S = 5;

/** A user turn as a caller starts it. */
export interface TurnStart {
  caller: UserPrincipal;
  agent: InvocableAgent;
  contents: ContentItem[];
  /** Null: a new session, or, for a known turn, the session it has. */
  sessionName: string | null;
  /** Null: a new one. */
  turnId: string | null;
  settings: TurnSettings;
  requestId: string | null;
  /** Keeps the session out of all lists: an execution without memory. */
  hidden?: boolean;
}

/** Somebody else was first with what this claim wanted: look again and decide anew. */
export class ClaimMissed extends Error {}

/** Who runs a known turn again, and for which request. */
export interface Claimant {
  agent: InvocableAgent;
  userId: string;
  requestId: string | null;
}

/** A new turn with everything at hand that its claim stores. */
interface Prepared extends TurnStart {
  turnId: string;
  sessionName: string;
  model: ResolvedModel;
  parts: LoadedPart[];
  tokens: number;
}

/** The moves of a turn into RUNNING, each one transaction, and those out of waiting. */
@Injectable()
export class TurnClaims {
  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
    private readonly streams: StreamsService,
    private readonly catalog: CatalogService,
    private readonly media: Media,
    private readonly runner: TurnRunner,
    private readonly usage: UsageService,
    private readonly lanes: Lanes,
  ) {}

  /** A new turn, RUNNING at once. Throws `ClaimMissed` where its id is taken. */
  async begin(start: TurnStart & { turnId: string; sessionName: string }): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const prepared = await this.prepare(start);
    const { turnId, sessionName, agent, caller } = prepared;
    return this.claim(prepared, async (tx) => {
      const stored = await this.store(tx, prepared, 'RUNNING');
      const { model, settings, requestId } = prepared;
      return this.open(tx, {
        ...stored,
        turnId,
        userId: caller.userId,
        session: { ref: stored.sessionRef, name: sessionName },
        agent,
        model,
        settings,
        requestId,
        origin: 'start',
        segment: 1,
      });
    });
  }

  /** A new turn that waits in QUEUED for `run`. Throws `ClaimMissed` where its id is taken. */
  async queue(
    start: TurnStart & { turnId: string; sessionName: string },
    also: (tx: EntityManager, turn: { id: string; sessionRef: string }) => Promise<void>,
  ): Promise<void> {
    const prepared = await this.prepare(start);
    await transactionWithOutcome(
      this.database,
      async (tx) => {
        const { id, sessionRef } = await this.store(tx, prepared, 'QUEUED');
        await also(tx, { id, sessionRef });
        return id;
      },
      async (id) => (await firstRow(this.database, 'select from turn where id = $1', [id])) !== null,
    );
  }

  /** QUEUED or FAILED → RUNNING, with what `also` does. Throws `ClaimMissed` where it is neither any more. */
  async run(
    turn: TurnRow,
    from: 'QUEUED' | 'FAILED',
    by: Claimant,
    also: (tx: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<OpenedSegment> {
    return this.again(turn, from, by, from === 'QUEUED' ? 'start' : 'rerun', async (tx, segment) => {
      await also(tx);
      // The answer that had opened the failed segment is continued by this one.
      if (from === 'FAILED') await moveAnswerOf(tx, turn.id, segment - 1, segment);
    });
  }

  /** INPUT_REQUIRED → RUNNING with the user's answer. Throws `ClaimMissed` where the question has ended. */
  async resume(turn: TurnRow, { id, callId, question }: InteractionRow, answer: UserAnswer, by: Claimant) {
    return this.again(turn, 'INPUT_REQUIRED', by, 'resume', async (tx, segment, nextStep) => {
      if (!(await answerInteraction(tx, id, answer, segment))) throw new ClaimMissed();
      const text = answerText(question, answer);
      const tokens = await countTokens(text);
      await insertStep(tx, turn.id, nextStep, { kind: 'tool-result', content: { callId, text }, tokens });
    });
  }

  /** What a repeated resume does with a turn that failed after the answer. */
  async resumeAgain(turn: TurnRow, interaction: InteractionRow, by: Claimant): Promise<OpenedSegment> {
    return this.again(turn, 'FAILED', by, 'rerun', (tx, segment) => moveAnswer(tx, interaction.id, segment));
  }

  /**
   * Ends a turn that waits for an answer: CANCELLED with its reason and a closing segment. False where it no longer
   * waits.
   */
  async endWaiting(tx: EntityManager, turn: TurnRow, why: TurnFailure): Promise<boolean> {
    if (!(await cancelWaiting(tx, turn.id, why))) return false;
    await endPending(tx, turn.id, why.code === 'EXPIRED' ? 'EXPIRED' : 'DISMISSED');
    const segment = await nextSegment(tx, turn.id);
    const writer = this.streams.createWriter(segment);
    writer.writeEvent('session.started', {
      sessionId: turn.sessionName,
      turnId: turn.turnId,
      segment,
      agentId: turn.agentId,
      model: turn.model,
      requestId: null,
      resumed: true,
    });
    await writer.open(tx, this.streams.leaseMs);
    await insertSegment(tx, turn.id, { segment, origin: 'resume', streamId: writer.streamId });
    const nothing = { promptTokens: 0, completionTokens: 0, cost: 0, estimated: false };
    const end = { messageId: null, usage: nothing, executionMs: 0, finishReason: 'cancelled' } as const;
    const completed = completedOf(turn, end);
    await keepCompleted(tx, writer.streamId, completed);
    await writer.end(tx, (closing) => writeCancelledFrames(closing, completed));
    return true;
  }

  private async prepare(start: TurnStart & { turnId: string; sessionName: string }): Promise<Prepared> {
    const model = await this.catalog.resolve(start.agent.spaceId, start.agent.model);
    const parts = await this.media.load(start.contents, model);
    const tokens = await tokensOf(parts);
    const outputTokens = Math.min(start.settings.maxTokens ?? Infinity, model.maxOutputTokens);
    const room = model.contextWindow - outputTokens;
    if (tokens > room) {
      throw invalid(
        `contents have about ${tokens} tokens, and the model ${model.name} takes at most ${room} beside ${outputTokens} of output`,
      );
    }
    return { ...start, model, parts, tokens };
  }

  /** The session, the turn and the user's message; whoever waited for an answer in the session waits no longer. */
  private async store(tx: EntityManager, start: Prepared, status: 'RUNNING' | 'QUEUED') {
    const { agent, caller, sessionName, settings } = start;
    const owner = { spaceId: agent.spaceId, agentId: agent.id, userId: caller.userId };
    const hidden = start.hidden ?? false;
    const session = await lockSession(tx, owner, {
      name: sessionName,
      title: titleOf(start.contents),
      hidden,
      // A job's result stays, whatever it was asked with.
      expires: hidden && settings.source === 'execute',
    });
    const id = await insertTurn(tx, {
      ...owner,
      sessionRef: session.id,
      n: session.turnCount,
      turnId: start.turnId,
      contentsHash: hashContents(start.contents, settings.variables),
      settings,
      model: start.model.name,
      status,
      causationRunId: caller.causationRunId,
    });
    if (id === null) throw new ClaimMissed();
    if (status === 'RUNNING') this.assertRoom(session.running + 1);
    // Behind the insert, which waits for a turn that is about to put its question.
    if (session.turnCount > 1) await this.dismissWaiting(tx, session.id);
    const parts = await storeParts(tx, { spaceId: agent.spaceId, sessionRef: session.id }, start.parts);
    const step = { kind: 'user' as const, content: { parts }, tokens: start.tokens };
    const steps = [{ ...step, n: 1, id: await insertStep(tx, id, 1, step) }];
    return { id, sessionRef: session.id, n: session.turnCount, steps, nextStep: 2 };
  }

  /** Refuses the turn that would be one too many of its user's. */
  private assertRoom(running: number): void {
    const most = this.config.maxRunningTurns;
    if (running <= most) return;
    const message = `At most ${most} turns of a user run at once; try again when one of them has ended`;
    throw new AppError('RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S });
  }

  private async dismissWaiting(tx: EntityManager, sessionRef: string): Promise<void> {
    for (const turn of await waitingTurns(tx, sessionRef)) {
      const message = 'A new turn of the session took the place of the question';
      await this.endWaiting(tx, turn, { code: 'DISMISSED', message, retryable: false });
    }
  }

  private async again(
    known: TurnRow,
    from: 'QUEUED' | 'FAILED' | 'INPUT_REQUIRED',
    { agent, userId, requestId }: Claimant,
    origin: SegmentOrigin,
    also: (tx: EntityManager, segment: number, nextStep: number) => Promise<void>,
  ): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const model = await this.catalog.resolve(agent.spaceId, agent.model);
    const scope = { agent, caller: { userId }, sessionName: known.sessionName };
    return this.claim(scope, async (tx) => {
      await holdSession(tx, known.sessionRef);
      const place = await claimTurn(tx, known.id, from, model.name);
      if (place === null) throw new ClaimMissed();
      if (from === 'FAILED') {
        await deletePartialSteps(tx, known.id);
        await forgetPages(tx, known.sessionRef, place);
      }
      const n = from === 'INPUT_REQUIRED' ? place : await moveToEnd(tx, { ...known, n: place });
      this.assertRoom(await runningTurns(tx, userId));
      await this.dismissWaiting(tx, known.sessionRef);
      const segment = await nextSegment(tx, known.id);
      const before = await loadSteps(tx, known.id);
      await also(tx, segment, (before.at(-1)?.n ?? 0) + 1);
      const steps = await loadSteps(tx, known.id);
      return this.open(tx, {
        id: known.id,
        turnId: known.turnId,
        userId,
        session: { ref: known.sessionRef, name: known.sessionName },
        n,
        agent,
        model,
        settings: known.settings,
        requestId,
        origin,
        segment,
        steps: steps.filter((step) => step.kind !== 'partial'),
        nextStep: (steps.at(-1)?.n ?? 0) + 1,
      });
    });
  }

  /** The claiming transaction, and the run of what it claimed; a session that runs another turn is a 409. */
  private async claim(
    {
      agent,
      caller,
      sessionName,
    }: { agent: { id: string; spaceId: string }; caller: { userId: string }; sessionName: string },
    work: (tx: EntityManager) => Promise<ActiveTurn>,
  ): Promise<OpenedSegment> {
    try {
      failpoint('turns.claim');
      return openedBy(
        await this.runner.claim(() =>
          transactionWithOutcome(this.lanes.of(agent.spaceId, this.database), work, ({ writer }) =>
            this.streams.isWrittenBy(writer),
          ),
        ),
      );
    } catch (error) {
      if (!violates(error, 'turn_running')) throw error;
      const running = await runningTurn(this.database, agent.id, caller.userId, sessionName);
      throw conflict(`Session ${sessionName} is busy with turn ${running ?? 'that just ended'}`);
    }
  }

  /** Opens the turn's stream with its first frames. */
  private async open(
    tx: EntityManager,
    claimed: Omit<ClaimedTurn, 'writer' | 'reservationId'> & { segment: number },
  ): Promise<ActiveTurn> {
    const { origin, segment } = claimed;
    const writer = this.streams.createWriter(segment);
    writer.writeEvent('session.started', {
      sessionId: claimed.session.name,
      turnId: claimed.turnId,
      segment,
      agentId: claimed.agent.id,
      model: claimed.model.name,
      requestId: claimed.requestId,
      resumed: origin === 'resume',
    });
    writer.writeFrame('lifecycle', { event: 'started' });
    await writer.open(tx, this.streams.leaseMs);
    await insertSegment(tx, claimed.id, { segment, origin, streamId: writer.streamId });
    return new ActiveTurn({ ...claimed, writer, reservationId: await this.hold(tx, claimed) });
  }

  /** Holds tokens for the first call. Last in the claiming transaction: it locks the accounts. */
  private hold(
    tx: EntityManager,
    claimed: Omit<ClaimedTurn, 'writer' | 'reservationId'>,
  ): Promise<string | null> {
    const { id, turnId, userId, agent, model, settings, steps } = claimed;
    const { source, maxTokens } = settings;
    const payer = {
      turnRef: id,
      turnId,
      spaceId: agent.spaceId,
      userId,
      agentId: agent.id,
      model: model.name,
      source,
    };
    const prompt = steps.reduce((sum, step) => sum + step.tokens, Math.ceil(agent.systemPrompt.length / 4));
    return reserveForCall(
      tx,
      this.usage,
      payer,
      prompt,
      Math.min(maxTokens ?? Infinity, model.maxOutputTokens),
    );
  }
}

function openedBy({ turnId, session, userId, writer }: ActiveTurn): OpenedSegment {
  return {
    turnId,
    sessionName: session.name,
    userId,
    segment: writer.segment,
    streamId: writer.streamId,
  };
}

async function nextSegment(tx: EntityManager, turnRef: string): Promise<number> {
  return ((await loadSegments(tx, turnRef)).at(-1)?.segment ?? 0) + 1;
}

async function tokensOf(parts: LoadedPart[]): Promise<number> {
  let tokens = 0;
  for (const part of parts) {
    const text = part.type === 'text' || part.type === 'file' ? part.text : undefined;
    tokens += text === undefined ? MEDIUM_TOKENS : await countTokens(text);
  }
  return tokens;
}
