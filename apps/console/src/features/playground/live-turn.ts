import { AgentStreamError, PlatformError, toProductEvent } from '@platform/client';
import type {
  ContentItem,
  Frame,
  Interaction,
  KnowledgeEvidence,
  ProductEventFields,
  ToolExecution,
} from '@platform/contracts';

/** Older frames than this many are let go; the whole record stays with the service. */
export const KEPT_FRAMES = 1_000;

export interface TurnFailure {
  code: string;
  message: string;
  requestId: string | null;
}

/** A turn whose stream this page reads, or has read. */
export interface LiveTurn {
  turnId: string;
  /** What was sent; null when the page joined a turn that was already running. */
  contents: ContentItem[] | null;
  state: 'running' | 'ended';
  text: string;
  model: string | null;
  requestId: string | null;
  lastSeq: number;
  frames: Frame[];
  droppedFrames: number;
  tools: ToolExecution[];
  evidence: KnowledgeEvidence[];
  interaction: Interaction | null;
  completed: ProductEventFields['response.completed'] | null;
  failure: TurnFailure | null;
  /** The stream broke on its way here; the turn itself may be well. */
  cutOff: boolean;
}

export function newLiveTurn(turnId: string, contents: ContentItem[] | null): LiveTurn {
  return {
    turnId,
    contents,
    state: 'running',
    text: '',
    model: null,
    requestId: null,
    lastSeq: 0,
    frames: [],
    droppedFrames: 0,
    tools: [],
    evidence: [],
    interaction: null,
    completed: null,
    failure: null,
    cutOff: false,
  };
}

/** The turn after the next frames of its stream. */
export function withFrames(turn: LiveTurn, frames: readonly Frame[]): LiveTurn {
  const all = [...turn.frames, ...frames];
  const dropped = Math.max(0, all.length - KEPT_FRAMES);
  const read: LiveTurn = {
    ...turn,
    frames: all.slice(dropped),
    droppedFrames: turn.droppedFrames + dropped,
    lastSeq: frames.at(-1)?.seq ?? turn.lastSeq,
  };
  return frames.reduce(withFrame, read);
}

function withFrame(turn: LiveTurn, frame: Frame): LiveTurn {
  const event = toProductEvent(frame);
  switch (event?.event) {
    case 'session.started':
      return { ...turn, model: event.model, requestId: event.requestId ?? turn.requestId };
    case 'content.delta':
      return { ...turn, text: turn.text + event.delta };
    case 'tool.execution':
      return { ...turn, tools: [...turn.tools.filter(({ callId }) => callId !== event.callId), event] };
    case 'knowledge.evidence':
      return { ...turn, evidence: [...turn.evidence, event] };
    case 'agent.input.required':
      return { ...turn, interaction: event.interaction };
    case 'response.completed':
      return { ...turn, completed: event };
    case 'error.occurred':
      return { ...turn, failure: { code: event.code, message: event.message, requestId: event.requestId } };
    case 'context.usage':
    case 'local.tool.call':
    case 'turn.persist_pending':
    case 'stream.ended':
    case undefined:
      return turn;
  }
}

/** The turn after its stream could not be opened, or broke for good. */
export function withError(turn: LiveTurn, error: unknown): LiveTurn {
  const cutOff = error instanceof AgentStreamError;
  return { ...turn, state: 'ended', failure: failureOf(error, turn.requestId), cutOff };
}

function failureOf(error: unknown, requestId: string | null): TurnFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PlatformError || error instanceof AgentStreamError) {
    return { code: error.code, message, requestId: error.requestId ?? requestId };
  }
  return { code: 'connection_lost', message, requestId };
}
