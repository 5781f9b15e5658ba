import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChatResponse, Turn } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { AppError, conflict, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { hashContents } from '../input/contents.ts';
import { executionsIn } from '../answers/open-executions.ts';
import { replayOf } from '../answers/replay.ts';
import { TurnChanged, type TurnStart } from './turn-start.ts';
import { TurnStarterService } from './turn-starter.service.ts';
import { historyOf } from '../records/segment-history.store.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { seconds, formatUsage } from '../answers/token-usage.ts';
import { decideRepeat } from '../records/turn-state.ts';
import { findTurn, loadSteps, loadSegments } from '../records/turn.store.ts';
import type { SegmentRow, TurnRow } from '../records/turn.ts';

/** Starts turns, and finds, describes, and replays them. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly database: DataSource,
    private readonly streams: StreamsService,
    private readonly starter: TurnStarterService,
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
        if (known) return await this.repeat(start, known);
        const turn = { ...start, turnId, sessionName: start.sessionName ?? randomUUID() };
        return await this.starter.start(turn, start.turnId !== null);
      } catch (error) {
        if (!(error instanceof TurnChanged)) throw error;
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
    const segments = await loadSegments(this.database, turn.id);
    const states = await this.streams.getStates(segments.map(({ streamId }) => streamId));
    return {
      turnId: turn.turnId,
      sessionId: turn.sessionName,
      agentId,
      status: turn.status,
      error: turn.error && {
        code: turn.error.code,
        message: turn.error.message,
        retryable: turn.error.retryable,
      },
      model: turn.model,
      token_usage: formatUsage(turn),
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
    const segments = await loadSegments(this.database, turn.id);
    const wanted = segment === null ? segments.at(-1) : segments.find((known) => known.segment === segment);
    if (wanted === undefined) throw notFound(`Turn ${turnId} has no segment ${segment ?? ''}`.trim());
    const state = (await this.streams.getStates([wanted.streamId])).get(wanted.streamId);
    if (state === undefined || !state.kept) throw notFound(`The stream of turn ${turnId} is no longer kept`);
    if (state.ended && after > state.lastSeq)
      throw conflict(`Segment ${wanted.segment} ends at ${state.lastSeq}`);
    return opened(turn, wanted);
  }

  private async repeat(start: TurnStart, known: TurnRow): Promise<OpenedSegment> {
    const decision = decideRepeat(known, {
      turnId: known.turnId,
      contentsHash: hashContents(start.contents, start.settings.variables),
      sessionName: start.sessionName,
    });
    if (decision instanceof AppError) throw decision;
    if (known.sessionDeleted)
      throw conflict(`turnId ${known.turnId} was already used in a session that is deleted`);
    if (decision === 'rerun') {
      const { agent, caller, requestId } = start;
      return this.starter.run(known, 'FAILED', { agent, userId: caller.userId, requestId });
    }
    const segments = await loadSegments(this.database, known.id);
    const recorded = segments.findLast(({ origin }) => origin !== 'resume');
    if (recorded === undefined) throw conflict(`Turn ${known.turnId} was cancelled before it ran`);
    return this.recorded(known, recorded);
  }

  /** Completes the answer of a cancelled turn's last segment with the text and tool calls of the earlier ones. */
  async collectAllSegments(turn: TurnRow, last: ChatResponse): Promise<ChatResponse> {
    const steps = await loadSteps(this.database, turn.id);
    const said = steps.filter((step) => step.kind === 'model' || step.kind === 'partial');
    const answer = said.map(({ content }) => content.text).join('');
    const toolExecutions = [];
    for (const { streamId } of (await loadSegments(this.database, turn.id)).slice(0, -1))
      toolExecutions.push(...(await executionsIn(this.streams.readStored(streamId))));
    const token_usage = formatUsage(turn);
    return {
      ...last,
      answer,
      contents: answer === '' ? [] : [{ type: 'text', text: answer }],
      toolExecutions: [...toolExecutions, ...last.toolExecutions],
      tokens_used: token_usage.total_tokens,
      token_usage,
      execution_time: seconds(turn.executionMs),
    };
  }

  /** A segment as it was sent, or replayed from the history once its frames are deleted. */
  async recorded(turn: TurnRow, segment: SegmentRow): Promise<OpenedSegment> {
    return this.openedOrReplayed(turn, segment, await this.stateOf(segment));
  }

  /** The same, or null if the segment is still being written. */
  async recordedIfEnded(turn: TurnRow, segment: SegmentRow): Promise<OpenedSegment | null> {
    const state = await this.stateOf(segment);
    return state?.ended === false ? null : this.openedOrReplayed(turn, segment, state);
  }

  private async stateOf({ streamId }: SegmentRow): Promise<{ ended: boolean; kept: boolean } | undefined> {
    return (await this.streams.getStates([streamId])).get(streamId);
  }

  private async openedOrReplayed(
    turn: TurnRow,
    segment: SegmentRow,
    state?: { kept: boolean },
  ): Promise<OpenedSegment> {
    if (state?.kept) return opened(turn, segment);
    const replay = replayOf(turn, await historyOf(this.database, turn, segment.segment));
    return { ...opened(turn, segment), replay };
  }
}

function opened(turn: TurnRow, { segment, streamId }: SegmentRow): OpenedSegment {
  const { turnId, sessionName, userId } = turn;
  return { turnId, sessionName, userId, segment, streamId };
}
