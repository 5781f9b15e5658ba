import { Injectable } from '@nestjs/common';
import type { ChatResponse } from '@platform/contracts';
import { AgentsService } from '../../agents/agents.service.ts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { AppError, conflict } from '../../infra/errors/app-error.ts';
import type { OpenedSegment } from '../../turns/answers/opened-segment.ts';
import { SegmentReaderService } from '../../turns/answers/segment-reader.service.ts';
import { InteractionsService } from '../../turns/interactions/interactions.service.ts';
import { CancellationService } from '../../turns/lifecycle/cancellation.service.ts';
import { toAnswer, toForm } from '../../turns/questions/question-form.ts';
import { TurnsService } from '../../turns/lifecycle/turns.service.ts';
import { keptUntil } from '../../turns/records/kept-until.ts';
import { isInterrupted } from '../../turns/records/turn-state.ts';
import type { TurnRow } from '../../turns/records/turn.ts';
import { formatHandle, type Handle } from './handle.ts';
import { unlessLate } from './late-answer.ts';
import type { McpCall, McpOutcome, Reply } from './mcp-tool.ts';
import type { Done, Work, WorkState } from './work.ts';

export type TurnHandle = Extract<Handle, { kind: 'turn' }>;

/** Turns that calls have started: they go on if their client leaves, and run again if their process has ended. */
@Injectable()
export class AgentWorkService {
  constructor(
    private readonly agents: AgentsService,
    private readonly turns: TurnsService,
    private readonly reader: SegmentReaderService,
    private readonly interactions: InteractionsService,
    private readonly cancellation: CancellationService,
  ) {}

  /** Goes on with a turn: answers its question if there is a reply, and waits for what comes next. */
  async resume({ agentId, turnId }: TurnHandle, call: McpCall): Promise<McpOutcome> {
    const { by, requestId } = call.call;
    const agent = await this.agents.getInvocable(by, agentId);
    const opened =
      call.reply === null
        ? await this.turns.reopen(by, agent, turnId, requestId)
        : await this.reply(call, agent, turnId, call.reply);
    return opened === null ? declined() : this.wait(opened, agent, call);
  }

  async cancel({ agentId, turnId }: TurnHandle, { call: { by } }: McpCall): Promise<Done> {
    const turn = await this.turns.find(by, agentId, turnId);
    const { status } = await this.cancellation.cancel(by, agentId, turnId, turn.sessionName);
    // Otherwise it would run again as soon as somebody asks for it.
    const isGivenUp = status === 'failed' && (await this.cancellation.giveUp(turn.id));
    return { kind: 'done', text: `The turn is ${isGivenUp ? 'cancelled' : status}.` };
  }

  /** Answers the questions of a turn. Ignores what comes too late, or answers no question of it. */
  async answer({ agentId, turnId }: TurnHandle, call: McpCall, replies: readonly Reply[]): Promise<void> {
    const agent = await this.agents.getInvocable(call.call.by, agentId);
    await this.turns.find(call.call.by, agentId, turnId);
    for (const reply of replies) await unlessLate(this.reply(call, agent, turnId, reply));
  }

  /** What has become of a turn. One that was interrupted runs again. */
  async describe(handle: TurnHandle, call: McpCall): Promise<Work> {
    const { agentId, turnId } = handle;
    const { by, requestId } = call.call;
    const agent = await this.agents.getInvocable(by, agentId);
    const turn = await this.turns.find(by, agentId, turnId);
    const state = isInterrupted(turn)
      ? await this.runAgain(agent, turn, requestId, call)
      : await this.stateOf(agent, turn, call);
    const { createdAt, startedAt, finishedAt } = turn;
    const updatedAt = finishedAt ?? startedAt ?? createdAt;
    return {
      handle: formatHandle(handle),
      createdAt,
      updatedAt,
      keptUntil: keptUntil(turn, new Date()),
      state,
    };
  }

  /** Waits for the end of a segment, or for the question that it ends with. */
  async wait(opened: OpenedSegment, agent: InvocableAgent, call: McpCall): Promise<McpOutcome> {
    const handle = formatHandle({ kind: 'turn', agentId: agent.id, turnId: opened.turnId });
    const { by, requestId } = call.call;
    let answer: ChatResponse;
    try {
      answer = await this.reader.collect(opened, call.waiting);
    } catch (error) {
      if (call.waiting.aborted) return { kind: 'working', handle };
      if (!(error instanceof AppError)) throw error;
      // The process that worked on it has ended: another one goes on.
      const latest = error.code === 'UNAVAILABLE' ? await this.reopened(opened, agent, call) : null;
      if (latest !== null) return this.wait(latest, agent, call);
      // The turn is what failed, and its handle says so to whoever asks again.
      return { kind: 'done', text: error.message, isError: true };
    }
    const { interaction, status } = answer;
    if (interaction !== null) {
      const latest = await this.turns.reopen(by, agent, opened.turnId, requestId);
      // A repeated call finds its first question, which may have been answered meanwhile.
      if (latest.segment > opened.segment) return this.wait(latest, agent, call);
      return { kind: 'asking', handle, interactionId: interaction.interactionId, form: toForm(interaction) };
    }
    return {
      kind: 'done',
      text: status === 'cancelled' ? 'The turn was canceled.' : answer.answer,
      isError: status === 'cancelled',
      structured: { answer: answer.answer, status, handle },
    };
  }

  /** The segment after one that failed; null: there is none. */
  private async reopened(
    { turnId, segment }: OpenedSegment,
    agent: InvocableAgent,
    { call: { by, requestId } }: McpCall,
  ): Promise<OpenedSegment | null> {
    try {
      const latest = await this.turns.reopen(by, agent, turnId, requestId);
      return latest.segment > segment ? latest : null;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  private async runAgain(
    agent: InvocableAgent,
    { turnId }: TurnRow,
    requestId: string,
    call: McpCall,
  ): Promise<WorkState> {
    try {
      await this.turns.reopen(call.call.by, agent, turnId, requestId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // It can run as soon as its session is free, or its space has tokens again.
      return { status: 'working', note: error.message };
    }
    return this.stateOf(agent, await this.turns.find(call.call.by, agent.id, turnId), call);
  }

  private async stateOf(agent: InvocableAgent, turn: TurnRow, call: McpCall): Promise<WorkState> {
    const { by, requestId } = call.call;
    switch (turn.status) {
      case 'QUEUED':
      case 'RUNNING':
        return { status: 'working' };
      case 'INPUT_REQUIRED': {
        const pending = await this.interactions.pending(by, agent.id, turn.sessionName);
        const questions = pending
          .filter(({ turnId }) => turnId === turn.turnId)
          .map((interaction) => ({ id: interaction.interactionId, form: toForm(interaction) }));
        // It was answered since the turn was read.
        return questions.length === 0 ? { status: 'working' } : { status: 'input_required', questions };
      }
      case 'CANCELLED':
        return { status: 'cancelled' };
      case 'FAILED': {
        const text = turn.error?.message ?? 'The turn failed.';
        return { status: 'completed', outcome: { kind: 'done', text, isError: true } };
      }
      case 'COMPLETED': {
        const opened = await this.turns.reopen(by, agent, turn.turnId, requestId);
        const outcome = await this.wait(opened, agent, call);
        return outcome.kind === 'done' ? { status: 'completed', outcome } : { status: 'working' };
      }
    }
  }

  /** Null: the person declined, so the turn was canceled. */
  private async reply(
    { call: { by, requestId } }: McpCall,
    agent: InvocableAgent,
    turnId: string,
    { interactionId, values }: Reply,
  ): Promise<OpenedSegment | null> {
    const { sessionName: sessionId } = await this.turns.find(by, agent.id, turnId);
    if (values === null) {
      const pending = await this.interactions.pending(by, agent.id, sessionId);
      if (!pending.some((question) => question.turnId === turnId && question.interactionId === interactionId))
        throw conflict(`The question ${interactionId} waits for no answer`);
      await this.cancellation.cancel(by, agent.id, turnId, sessionId);
      return null;
    }
    const pending = await this.interactions.findQuestion(by, agent.id, turnId, interactionId);
    const answer = toAnswer(pending, values);
    return this.interactions.resume(by, agent, turnId, { sessionId, interactionId, answer }, requestId);
  }
}

const declined = (): Done => ({
  kind: 'done',
  text: 'The person declined the question, and the turn was canceled.',
  isError: true,
});
