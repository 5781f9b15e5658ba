import type { ImageDetail } from '@platform/contracts';
import type { ModelToolCall } from '../../models/port/model-provider.ts';
import type { CallNeed } from '../../tools/calls/call-pause.ts';
import type { DecidedNeed } from '../questions/call-needs.ts';

/** A part of a user message. Media are stored as attachments, and images on the web as addresses. */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; detail: ImageDetail; url?: string; attachmentId?: string }
  | { type: 'audio'; attachmentId: string; url?: string }
  | { type: 'file'; attachmentId: string; info: Record<string, unknown>; text?: string };

/** What a search before the first model call found. */
export interface StoredSearch {
  query: string;
  /** What was searched for, if the question was rewritten. */
  terms?: string;
  /** Best first, as the model receives them. */
  documents: StoredDocument[];
  retrievalMs: number;
  /** Why the search or a part of it did not take place, or why its result was left out. */
  notice?: string;
  /** Nothing matches the query: the documents are only the closest. */
  closest?: true;
}

export interface StoredDocument {
  /** The id of a document of the space, or the address of a page. */
  id: string;
  title: string;
  /** The headings above the text, or its page; empty if there is none. */
  heading: string;
  text: string;
  /** 0 to 1. */
  score: number;
  source: 'knowledge' | 'web';
  url?: string;
}

/** The size of the context after a model call, by the provider's figures. */
interface ContextFigure {
  tokens: number;
  /** Counted locally, because the provider reported none. */
  estimated: boolean;
}

/** What a step of a turn stores. A stored step is never executed again. */
export type StepContent =
  | { kind: 'user'; content: { parts: UserPart[] } }
  | { kind: 'evidence'; content: { searches: StoredSearch[] } }
  | { kind: 'model'; content: { text: string; toolCalls: ModelToolCall[]; context?: ContextFigure } }
  /** The call has started. Without a result, it was interrupted, and it is never started again. */
  | { kind: 'tool-call'; content: { callId: string } }
  /** The call has not taken place: a person has to make it possible first. */
  | { kind: 'tool-pause'; content: { callId: string; need: CallNeed } }
  /** What the person decided. The call is made next. */
  | { kind: 'tool-answer'; content: { callId: string } & DecidedNeed }
  | { kind: 'tool-result'; content: { callId: string; text: string } }
  /** The text before the turn failed or was canceled. A rerun replaces it. */
  | { kind: 'partial'; content: { text: string } };

/** What was measured while a step came about, for its trace. The model never reads it. */
export interface StepMeasures {
  durationMs: number;
  /** Of a model call: until its first output. */
  firstTokenMs?: number;
  usage?: {
    promptTokens: number;
    completionTokens: number;
    cachedTokens: number;
    reasoningTokens: number;
    cost: number;
    estimated: boolean;
  };
  /** Of a tool call. */
  tool?: { kind: string; tool: string; method: string };
  outcome?: 'succeeded' | 'failed' | 'denied';
}

/** A step that is about to be stored. */
export type NewStep = StepContent & { tokens: number; measures?: StepMeasures };

/** `n` is its position in the turn, starting at 1. */
export type Step = StepContent & { id: string; n: number; tokens: number };

/** Whether the model wrote no text in this step, so that it is not a message of the session. */
export function isSilent(step: StepContent): boolean {
  return (step.kind === 'model' || step.kind === 'partial') && step.content.text === '';
}

/** A call without a result, and what has become of it. */
export interface OpenCall {
  call: ModelToolCall;
  /** `started`: it may have had an effect. `paused`: it had none, and waits for a person. */
  state: 'new' | 'started' | 'paused' | 'answered';
  /** Of a call that is paused. */
  need: CallNeed | null;
  /** In the order in which they were asked. */
  decided: DecidedNeed[];
}

/** The calls of the last model step that have no result yet, in order. */
export function openCalls(steps: Step[]): OpenCall[] {
  const last = steps.findLastIndex((step) => step.kind === 'model');
  const asking = steps[last];
  if (asking?.kind !== 'model') return [];
  const after = steps.slice(last + 1);
  return asking.content.toolCalls.flatMap((call) => {
    const own = after.filter(({ content }) => 'callId' in content && content.callId === call.id);
    if (own.some(({ kind }) => kind === 'tool-result')) return [];
    const decided = own.flatMap((step) => (step.kind === 'tool-answer' ? [step.content] : []));
    return [{ call, decided, ...stateOf(own.at(-1)) }];
  });
}

function stateOf(step: Step | undefined): Pick<OpenCall, 'state' | 'need'> {
  switch (step?.kind) {
    case 'tool-call':
      return { state: 'started', need: null };
    case 'tool-pause':
      return { state: 'paused', need: step.content.need };
    case 'tool-answer':
      return { state: 'answered', need: null };
    case undefined:
    case 'user':
    case 'evidence':
    case 'model':
    case 'partial':
    case 'tool-result':
      return { state: 'new', need: null };
  }
}
