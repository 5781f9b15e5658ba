import { AgentStreamError, PlatformError, toProductEvent } from '@platform/client';
import type {
  ContentItem,
  Frame,
  Interaction,
  KnowledgeEvidence,
  ProductEventFields,
  ToolExecution,
} from '@platform/contracts';
import type { Call } from '../request/call.ts';

/** Maximum number of frames kept in memory. The service has the complete recording. */
export const KEPT_FRAMES = 1_000;

interface TurnFailure {
  code: string;
  message: string;
  requestId: string | null;
}

/** A question that has been answered. The answer is null if it was given on another page. */
export interface Answered {
  interaction: Interaction;
  answer: string[] | null;
}

/** The size of the model's context. */
export type ContextUsage = ProductEventFields['context.usage'];

/** A turn whose stream this page is reading or has read. */
export interface LiveTurn {
  /** Until the service has named an execution, an id of this page: see `hasTurnId`. */
  turnId: string;
  /** The contents that were sent; null if the page attached to a running turn. */
  contents: ContentItem[] | null;
  /** The request that started it; null if another page sent it. */
  call: Call | null;
  /** The job that runs it. */
  jobId: string | null;
  /** Its session, which is not the open one if it is an execution without memory. */
  sessionId: string | null;
  state: 'running' | 'ended';
  text: string;
  /** What the model thought aloud before it answered. */
  reasoning: string;
  /** The last frame that existed when the page attached to the turn; null if it was there from the start. */
  resumedAt: number | null;
  model: string | null;
  /** When its first text came, by the clock of the service. */
  firstTextAt: number | null;
  requestId: string | null;
  lastSeq: number;
  frames: Frame[];
  droppedFrames: number;
  tools: ToolExecution[];
  evidence: KnowledgeEvidence[];
  /** The open question, and the ones that have been answered. */
  interaction: Interaction | null;
  answered: Answered[];
  context: ContextUsage | null;
  completed: ProductEventFields['response.completed'] | null;
  /** When it was completed, by the clock of the service. */
  completedAt: number | null;
  failure: TurnFailure | null;
  /** The connection was lost. The turn itself may still be running. */
  cutOff: boolean;
}

export function createLiveTurn(turnId: string, contents: ContentItem[] | null): LiveTurn {
  return {
    turnId,
    contents,
    call: null,
    jobId: null,
    sessionId: null,
    state: 'running',
    text: '',
    reasoning: '',
    resumedAt: null,
    model: null,
    firstTextAt: null,
    requestId: null,
    lastSeq: 0,
    frames: [],
    droppedFrames: 0,
    tools: [],
    evidence: [],
    interaction: null,
    answered: [],
    context: null,
    completed: null,
    completedAt: null,
    failure: null,
    cutOff: false,
  };
}

const UNNAMED = 'unnamed:';
let unnamed = 0;

/** Returns an id for a turn that the service has not named yet. */
export function createUnnamedId(): string {
  return `${UNNAMED}${++unnamed}`;
}

/** Whether the service has named the turn, so that it can be asked about it. */
export const hasTurnId = (turnId: string): boolean => !turnId.startsWith(UNNAMED);

/** Returns the turn at the start of its next segment, with the answer to its question. */
export function startNextSegment(turn: LiveTurn, answer: string[] | null): LiveTurn {
  const { interaction } = turn;
  return {
    ...createLiveTurn(turn.turnId, turn.contents),
    call: turn.call,
    jobId: turn.jobId,
    sessionId: turn.sessionId,
    model: turn.model,
    firstTextAt: turn.firstTextAt,
    context: turn.context,
    text: turn.text === '' ? '' : `${turn.text}\n\n`,
    reasoning: turn.reasoning,
    resumedAt: turn.resumedAt,
    tools: turn.tools,
    evidence: turn.evidence,
    answered: interaction === null ? turn.answered : [...turn.answered, { interaction, answer }],
  };
}

/** Returns the state of a turn from the history whose question is open. */
export function createWaitingTurn(interaction: Interaction, text: string): LiveTurn {
  return { ...createLiveTurn(interaction.turnId, null), state: 'ended', text, interaction };
}

/** Returns the turn after the next frames of its stream. */
export function applyFrames(turn: LiveTurn, frames: readonly Frame[]): LiveTurn {
  const all = [...turn.frames, ...frames];
  const dropped = Math.max(0, all.length - KEPT_FRAMES);
  const read: LiveTurn = {
    ...turn,
    frames: all.slice(dropped),
    droppedFrames: turn.droppedFrames + dropped,
    lastSeq: frames.at(-1)?.seq ?? turn.lastSeq,
  };
  return frames.reduce(applyFrame, read);
}

function applyFrame(turn: LiveTurn, frame: Frame): LiveTurn {
  const thought = getReasoning(frame);
  if (thought !== '') return { ...turn, reasoning: turn.reasoning + thought };
  const event = toProductEvent(frame);
  switch (event?.event) {
    case 'session.started':
      return {
        ...turn,
        model: event.model,
        sessionId: event.sessionId,
        requestId: event.requestId ?? turn.requestId,
      };
    case 'content.delta':
      return {
        ...turn,
        text: turn.text + event.delta,
        firstTextAt: turn.firstTextAt ?? frame.params.timestamp,
      };
    case 'tool.execution':
      return { ...turn, tools: applyExecution(turn.tools, event) };
    case 'knowledge.evidence':
      return { ...turn, evidence: [...turn.evidence, event] };
    case 'agent.input.required':
      return { ...turn, interaction: event.interaction };
    case 'response.completed':
      return { ...turn, completed: event, completedAt: frame.params.timestamp };
    case 'error.occurred':
      return { ...turn, failure: { code: event.code, message: event.message, requestId: event.requestId } };
    case 'context.usage':
      return { ...turn, context: event };
    case 'local.tool.call':
    case 'turn.persist_pending':
    case 'stream.ended':
    case undefined:
      return turn;
  }
}

/** Returns the piece of reasoning in a frame, or ''. Product events contain none. */
function getReasoning({ method, params }: Frame): string {
  if (method !== 'messages') return '';
  const { delta } = params.data as { delta?: { type?: unknown; reasoning?: unknown } };
  return delta?.type === 'reasoning-delta' && typeof delta.reasoning === 'string' ? delta.reasoning : '';
}

/**
 * Returns how long the first text of a completed turn took, or null. The service measures the whole time, and the frames
 * tell what came after the first text. Time that waited for an answer is in neither, so such turns have no such figure.
 */
export function getFirstTextMs({ completed, completedAt, firstTextAt, answered }: LiveTurn): number | null {
  if (completed === null || completedAt === null || firstTextAt === null || answered.length > 0) return null;
  return Math.max(0, Math.round(completed.execution_time * 1_000 - (completedAt - firstTextAt)));
}

/** Returns the turn after its stream failed permanently. */
export function applyError(turn: LiveTurn, error: unknown): LiveTurn {
  const cutOff = error instanceof AgentStreamError;
  return { ...turn, state: 'ended', failure: toTurnFailure(error, turn.requestId), cutOff };
}

function toTurnFailure(error: unknown, requestId: string | null): TurnFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PlatformError || error instanceof AgentStreamError) {
    return { code: error.code, message, requestId: error.requestId ?? requestId };
  }
  return { code: 'connection_lost', message, requestId };
}

/** A tool call keeps its position when it ends, so that its card does not move. */
function applyExecution(tools: ToolExecution[], event: ToolExecution): ToolExecution[] {
  const known = tools.some(({ callId }) => callId === event.callId);
  return known ? tools.map((tool) => (tool.callId === event.callId ? event : tool)) : [...tools, event];
}
