import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ContentItem, Turn } from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import type { InvocableAgent } from '../agents/agent-row.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { violates } from '../infra/database/rows.ts';
import { failpoint } from '../infra/failpoints.ts';
import { AppError, conflict, notFound } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';
import { CatalogueService, type ResolvedModel } from '../models/catalogue.service.ts';
import { countTokens, MEDIUM_TOKENS } from '../models/tokens.ts';
import { StreamsService } from '../streams/streams.service.ts';
import { ActiveTurn, type ClaimedTurn } from './active-turn.ts';
import { hashContents, titleOf } from './contents.ts';
import type { Item, UserPart } from './items.ts';
import { Media, storeParts, type LoadedPart } from './media.ts';
import { replayOf } from './replay.ts';
import { seconds, wireUsage } from './turn-closing.ts';
import { TurnRunner } from './turn-runner.ts';
import { decideRepeat } from './turn-state.ts';
import {
  findTurn,
  insertItem,
  insertRunningTurn,
  insertSegment,
  itemsOf,
  lockSession,
  rerunTurn,
  runningTurn,
  segmentsOf,
  type SegmentRow,
  type TurnRow,
  type TurnSettings,
} from './turn-store.ts';

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
}

/** Where the answer to a start, or to a re-attach, is read. */
export interface OpenedSegment {
  turnId: string;
  sessionName: string;
  segment: number;
  streamId: string;
  /** All of its frames, where the stream is no longer kept. */
  replay?: Buffer;
}

/** Somebody else took the turn's id between our look and our insert. */
class TurnIdTaken extends Error {}

@Injectable()
export class TurnsService {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly catalogue: CatalogueService,
    private readonly media: Media,
    private readonly runner: TurnRunner,
  ) {}

  /**
   * Starts a turn and answers where its frames are read, before the model has said anything. The same `turnId` again
   * answers what was recorded, runs a failed turn again, or is a 409; it never runs a finished one twice.
   */
  async start(start: TurnStart): Promise<OpenedSegment> {
    const turnId = (start.turnId ?? randomUUID()).toLowerCase();
    for (;;) {
      const known =
        start.turnId === null
          ? null
          : await findTurn(this.database, start.agent.id, start.caller.userId, turnId);
      try {
        return known ? await this.repeat(start, known) : await this.begin(start, turnId);
      } catch (error) {
        if (!(error instanceof TurnIdTaken)) throw error;
      }
    }
  }

  /** The caller's turn, or 404. */
  async find(caller: UserPrincipal, agentId: string, turnId: string): Promise<TurnRow> {
    const turn = isUuid(turnId)
      ? await findTurn(this.database, agentId, caller.userId, turnId.toLowerCase())
      : null;
    if (turn === null || turn.sessionDeleted) throw notFound(`Turn ${turnId} does not exist`);
    return turn;
  }

  /** The turn with its segments. */
  async describe(caller: UserPrincipal, agentId: string, turnId: string): Promise<Turn> {
    const turn = await this.find(caller, agentId, turnId);
    const segments = await segmentsOf(this.database, turn.id);
    const states = await this.streams.states(segments.map(({ streamId }) => streamId));
    return {
      turnId: turn.clientTurnId,
      sessionId: turn.sessionName,
      agentId,
      status: turn.status,
      error: turn.error && {
        code: turn.error.code,
        message: turn.error.message,
        retryable: turn.error.retryable,
      },
      model: turn.model,
      token_usage: wireUsage(turn),
      createdAt: turn.createdAt.toISOString(),
      startedAt: turn.startedAt?.toISOString() ?? null,
      finishedAt: turn.finishedAt?.toISOString() ?? null,
      execution_time: turn.finishedAt && seconds(turn.executionMs),
      segments: segments.map(({ segment, origin, streamId }) => {
        const state = states.get(streamId);
        return { segment, origin, lastSeq: state?.lastSeq ?? 0, ended: state?.ended ?? true };
      }),
    };
  }

  /** The segment to re-attach to: the named one or the latest; 404 where it is gone, 409 where `after` lies beyond it. */
  async attach(
    caller: UserPrincipal,
    agentId: string,
    turnId: string,
    segment: number | null,
    after: number,
  ): Promise<OpenedSegment> {
    const turn = await this.find(caller, agentId, turnId);
    const segments = await segmentsOf(this.database, turn.id);
    const wanted = segment === null ? segments.at(-1) : segments.find((known) => known.segment === segment);
    if (wanted === undefined) throw notFound(`Turn ${turnId} has no segment ${segment ?? ''}`.trim());
    const state = (await this.streams.states([wanted.streamId])).get(wanted.streamId);
    if (state === undefined || !state.kept) throw notFound(`The stream of turn ${turnId} is no longer kept`);
    if (state.ended && after > state.lastSeq)
      throw conflict(`Segment ${wanted.segment} ends at ${state.lastSeq}`);
    return opened(turn, wanted);
  }

  private async repeat(start: TurnStart, known: TurnRow): Promise<OpenedSegment> {
    const decision = decideRepeat(known, {
      turnId: known.clientTurnId,
      contentsHash: hashContents(start.contents),
      sessionName: start.sessionName,
    });
    if (decision instanceof AppError) throw decision;
    if (known.sessionDeleted)
      throw conflict(`turnId ${known.clientTurnId} was already used in a session that is deleted`);
    const segments = await segmentsOf(this.database, known.id);
    if (decision === 'rerun') return this.rerun(start, known, segments);
    const recorded = segments.findLast(({ origin }) => origin !== 'resume');
    if (recorded === undefined) throw new Error(`Turn ${known.id} has no segment`);
    const state = (await this.streams.states([recorded.streamId])).get(recorded.streamId);
    if (state?.kept) return opened(known, recorded);
    const replay = replayOf(known, recorded.segment, await itemsOf(this.database, known.id));
    return { ...opened(known, recorded), replay };
  }

  private async begin(start: TurnStart, turnId: string): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const { caller, agent } = start;
    const model = await this.catalogue.resolve(agent.spaceId, agent.model);
    const loaded = await this.media.load(start.contents, model);
    const tokens = await tokensOf(loaded);
    const owner = { spaceId: agent.spaceId, agentId: agent.id, userId: caller.userId };
    const name = start.sessionName ?? randomUUID();
    const writer = this.streams.create(1);
    const turn = await this.claim(owner, name, async (tx) => {
      const session = await lockSession(tx, owner, name, titleOf(start.contents));
      const id = await insertRunningTurn(tx, {
        ...owner,
        sessionRef: session.id,
        n: session.turnCount,
        clientTurnId: turnId,
        contentsHash: hashContents(start.contents),
        settings: start.settings,
        model: model.name,
      });
      if (id === null) throw new TurnIdTaken();
      const parts = await storeParts(tx, { spaceId: agent.spaceId, sessionRef: session.id }, loaded);
      const item = { kind: 'user' as const, content: { parts }, tokens };
      const items: Item[] = [{ ...item, id: await insertItem(tx, id, 1, item) }];
      return this.open(tx, {
        id,
        clientTurnId: turnId,
        userId: caller.userId,
        session: { ref: session.id, name },
        n: session.turnCount,
        agent,
        model,
        settings: start.settings,
        requestId: start.requestId,
        origin: 'start',
        writer,
        items,
        nextItem: 2,
      });
    });
    this.runner.launch(turn);
    return { turnId, sessionName: name, segment: 1, streamId: writer.streamId };
  }

  private async rerun(start: TurnStart, known: TurnRow, segments: SegmentRow[]): Promise<OpenedSegment> {
    this.runner.assertOpen();
    const { agent, caller } = start;
    const model = await this.catalogue.resolve(agent.spaceId, agent.model);
    const owner = { spaceId: agent.spaceId, agentId: agent.id, userId: caller.userId };
    const segment = (segments.at(-1)?.segment ?? 0) + 1;
    const writer = this.streams.create(segment);
    const turn = await this.claim(owner, known.sessionName, async (tx) => {
      if (!(await rerunTurn(tx, known.id, model.name))) throw new TurnIdTaken();
      const items = await itemsOf(tx, known.id);
      return this.open(tx, {
        id: known.id,
        clientTurnId: known.clientTurnId,
        userId: caller.userId,
        session: { ref: known.sessionRef, name: known.sessionName },
        n: known.n,
        agent,
        model,
        settings: known.settings,
        requestId: start.requestId,
        origin: 'rerun',
        writer,
        items,
        nextItem: (items.at(-1)?.n ?? 0) + 1,
      });
    });
    this.runner.launch(turn);
    return { turnId: known.clientTurnId, sessionName: known.sessionName, segment, streamId: writer.streamId };
  }

  /** The claiming transaction; a session that runs another turn is a 409 that names it. */
  private async claim<T>(
    owner: { agentId: string; userId: string },
    sessionName: string,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      failpoint('turns.claim');
      return await this.database.transaction(work);
    } catch (error) {
      if (!violates(error, 'turn_running')) throw error;
      const running = await runningTurn(this.database, owner.agentId, owner.userId, sessionName);
      throw conflict(`Session ${sessionName} is busy with turn ${running ?? 'that just ended'}`);
    }
  }

  /** Opens the turn's stream with its first frames. */
  private async open(tx: EntityManager, claimed: ClaimedTurn): Promise<ActiveTurn> {
    const { writer, origin } = claimed;
    writer.emit('session.started', {
      sessionId: claimed.session.name,
      turnId: claimed.clientTurnId,
      segment: writer.segment,
      agentId: claimed.agent.id,
      model: claimed.model.name,
      requestId: claimed.requestId,
      resumed: origin === 'resume',
    });
    writer.frame('lifecycle', { event: 'started' });
    await writer.open(tx, this.streams.leaseMs);
    await insertSegment(tx, claimed.id, { segment: writer.segment, origin, streamId: writer.streamId });
    return new ActiveTurn(claimed);
  }
}

function opened(turn: TurnRow, { segment, streamId }: SegmentRow): OpenedSegment {
  return { turnId: turn.clientTurnId, sessionName: turn.sessionName, segment, streamId };
}

async function tokensOf(parts: (UserPart | LoadedPart)[]): Promise<number> {
  let tokens = 0;
  for (const part of parts) {
    const text = part.type === 'text' || part.type === 'file' ? part.text : undefined;
    tokens += text === undefined ? MEDIUM_TOKENS : await countTokens(text);
  }
  return tokens;
}
