import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChatResponse, Turn } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError, conflict, notFound } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { hashContents } from '../input/contents.ts';
import { collectExecutions } from '../answers/open-executions.ts';
import { buildReplay } from '../answers/replay.ts';
import { MAX_MODEL_CALLS } from '../engine/turn-engine.service.ts';
import { TurnChanged, type TurnStart } from './turn-start.ts';
import { TurnStarterService } from './turn-starter.service.ts';
import { loadSegmentHistory } from '../records/segment-history.store.ts';
import type { OpenedSegment } from '../answers/opened-segment.ts';
import { seconds, formatUsage } from '../answers/token-usage.ts';
import { decideRepeat, isInterrupted } from '../records/turn-state.ts';
import { countReruns, findTurn, isTurnOfAnother, loadSteps, loadSegments } from '../records/turn.store.ts';
import type { SegmentRow, TurnRow } from '../records/turn.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';

/** Without a model call that ended in between: a turn that ends its process each time must not do so forever. */
const MAX_RERUNS = 20;

/** Starts turns, and finds, describes, and replays them. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly database: Database,
    private readonly streams: StreamsService,
    private readonly starter: TurnStarterService,
  ) {}

  /**
   * Starts a turn and returns its segment, before the model is called. A repeated `turnId` returns what was recorded, runs a
   * failed turn again, or throws 409; it never runs a finished turn twice.
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

  /** Returns the caller's turn in the space of the call; throws 404 if there is none. */
  async find(caller: UserPrincipal, agentId: string, turnId: string): Promise<TurnRow> {
    const turn = isUuid(turnId)
      ? await findTurn(this.database, agentId, caller.userId, turnId.toLowerCase())
      : null;
    if (turn === null || turn.sessionDeleted || turn.spaceId !== caller.spaceId)
      throw notFound(`Turn ${turnId} does not exist`);
    return turn;
  }

  /** Whether the run of the caller has started the turn as another user, who owned its task. */
  async isOfFormerOwner({ userId, causationRunId }: UserPrincipal, turnId: string): Promise<boolean> {
    return causationRunId !== null && isTurnOfAnother(this.database, causationRunId, userId, turnId);
  }

  /** Describes a turn with its segments. */
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

  /** Returns the named segment, or the latest. Throws 404 if it is no longer stored, 409 if `after` is beyond its end. */
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
    if (state === undefined || !state.kept)
      throw notFound(`The stream of turn ${turnId} is no longer stored`);
    if (state.ended && after > state.lastSeq)
      throw conflict(`Segment ${wanted.segment} ends at ${state.lastSeq}`);
    return toOpenedSegment(turn, wanted);
  }

  /**
   * Returns the latest segment, also if its frames are no longer stored. A turn whose process has ended runs again first, as
   * long as it gets further. Throws CONFLICT if its session runs another turn meanwhile.
   */
  async reopen(
    caller: UserPrincipal,
    agent: InvocableAgent,
    turnId: string,
    requestId: string | null,
  ): Promise<OpenedSegment> {
    for (;;) {
      const turn = await this.find(caller, agent.id, turnId);
      const segments = await loadSegments(this.database, turn.id);
      const latest = segments.at(-1);
      if (latest === undefined) throw conflict(`Turn ${turnId} was canceled before it ran`);
      if (!isInterrupted(turn) || !(await this.mayRunAgain(turn))) return this.openRecorded(turn, latest);
      try {
        return await this.starter.run(turn, 'FAILED', { agent, userId: caller.userId, requestId });
      } catch (error) {
        if (!(error instanceof TurnChanged)) throw error;
      }
    }
  }

  private async mayRunAgain(turn: TurnRow): Promise<boolean> {
    const { reruns, modelCalls } = await countReruns(this.database, turn.id);
    return reruns < MAX_RERUNS && modelCalls < MAX_MODEL_CALLS;
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
    if (recorded === undefined) throw conflict(`Turn ${known.turnId} was canceled before it ran`);
    return this.openRecorded(known, recorded);
  }

  /** Adds the text and tool calls of the earlier segments to the answer of a canceled turn's last segment. */
  async collectAllSegments(turn: TurnRow, last: ChatResponse): Promise<ChatResponse> {
    const steps = await loadSteps(this.database, turn.id);
    const modelSteps = steps.filter((step) => step.kind === 'model' || step.kind === 'partial');
    const answer = modelSteps.map(({ content }) => content.text).join('');
    const toolExecutions = [];
    for (const { streamId } of (await loadSegments(this.database, turn.id)).slice(0, -1))
      toolExecutions.push(...(await collectExecutions(this.streams.readStored(streamId))));
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

  /** Returns a segment as it was sent, or replayed from the history if its frames have been deleted. */
  async openRecorded(turn: TurnRow, segment: SegmentRow): Promise<OpenedSegment> {
    return this.openOrReplay(turn, segment, await this.stateOf(segment));
  }

  /** Like `openRecorded`, but null if the segment is still being written. */
  async openRecordedIfEnded(turn: TurnRow, segment: SegmentRow): Promise<OpenedSegment | null> {
    const state = await this.stateOf(segment);
    return state?.ended === false ? null : this.openOrReplay(turn, segment, state);
  }

  private async stateOf({ streamId }: SegmentRow): Promise<{ ended: boolean; kept: boolean } | undefined> {
    return (await this.streams.getStates([streamId])).get(streamId);
  }

  private async openOrReplay(
    turn: TurnRow,
    segment: SegmentRow,
    state?: { kept: boolean },
  ): Promise<OpenedSegment> {
    if (state?.kept) return toOpenedSegment(turn, segment);
    const replay = buildReplay(turn, await loadSegmentHistory(this.database, turn, segment.segment));
    return { ...toOpenedSegment(turn, segment), replay };
  }
}

function toOpenedSegment(turn: TurnRow, { segment, streamId }: SegmentRow): OpenedSegment {
  const { turnId, sessionName, userId } = turn;
  return { turnId, sessionName, userId, segment, streamId };
}
